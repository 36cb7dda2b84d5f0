#include <doctest/doctest.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "actors/driver/checkpoints/checkpoints.hpp"
#include "models/files.hpp"
#include "models/files/checkpoint/reader.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

const std::vector<TensorInfo> kTensors{{"a", {3}}};

/// A disk that writes only as many vectors as let() has allowed.
class Disk {
 public:
  void let(int vectors) {
    const std::lock_guard lock(mutex_);
    let_ += vectors;
    changed_.notify_all();
  }
  void write() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [this] { return let_ > 0; });
    --let_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int let_ = 0;
};

/// A run. Each float of vector v after step s is 10 s + v.
class FakeRun : public CheckpointSource {
 public:
  explicit FakeRun(Disk& disk) : disk_(disk) {}

  Versions::PinId pin() override {
    pins.push_back(step);
    return static_cast<Versions::PinId>(pins.size());
  }
  void unpin(Versions::PinId /*pin*/) override { ++unpinned; }
  HeldFloats fetch(Versions::PinId pin, const VectorPart& part) override {
    ++fetched;
    if (failures > 0) {
      --failures;
      throw Error(ErrorCode::worker_lost, "worker 0 is lost");
    }
    const auto value = static_cast<float>(10 * pins.at(pin - 1) + part.vector);
    // The job releases the vector when it has written it.
    const std::shared_ptr<const std::vector<float>> floats(new std::vector<float>(3, value),
                                                           [this](const std::vector<float>* written) {
                                                             disk_.write();
                                                             delete written;
                                                           });
    return {*floats, floats};
  }
  bool is_final(const Error& /*error*/) const override { return final; }
  bool gives_parts() const override { return in_parts; }
  bool finds_full_disk(std::int64_t /*step*/) override { return std::exchange(full_disk, false); }
  CheckpointManifest manifest(Versions::PinId pin) const override {
    CheckpointManifest manifest;
    manifest.step = pins.at(pin - 1);
    manifest.model = "fake";
    manifest.optimizer = "{}";
    manifest.state = {"m", "v"};
    return manifest;
  }
  const std::vector<TensorInfo>& tensors() const override { return kTensors; }

  std::int64_t step = 0;
  std::vector<std::int64_t> pins;
  int unpinned = 0;
  int fetched = 0;
  int failures = 0;
  bool final = false;  ///< whether all failures are final
  bool in_parts = false;
  bool full_disk = false;

 private:
  Disk& disk_;
};

struct JobScene {
  explicit JobScene(std::int64_t every_steps = 2) {
    Options options;
    options.checkpoint = {.folder = folder / "run", .every_steps = every_steps};
    auto source = std::make_unique<FakeRun>(disk);
    run = source.get();
    checkpoints = std::make_unique<Checkpoints>(options, std::move(source));
  }
  ~JobScene() { disk.let(1000); }

  CheckpointReport step() {
    const std::int64_t before = run->step++;
    return checkpoints->advance(before, run->step, 0);
  }
  std::string path(std::int64_t step) const { return CheckpointSeries(folder / "run").path_of(step); }
  std::vector<float> vector(std::int64_t step, const std::string& name) const {
    const CheckpointReader reader(path(step));
    return name.empty() ? reader.weights(kTensors) : reader.state(name, kTensors);
  }

  TemporaryFolder folder;
  Disk disk;
  FakeRun* run = nullptr;
  std::unique_ptr<Checkpoints> checkpoints;
};

}  // namespace

TEST_CASE("a step fetches one vector, at most two wait for the disk, and checkpoints due meanwhile are skipped") {
  JobScene scene;
  CHECK(scene.step().writing == false);
  CheckpointReport report = scene.step();
  CHECK(report.writing);
  CHECK(scene.run->fetched == 1);
  CHECK(comes_true([&] { return scene.step().writing && scene.run->fetched == 2; }));
  for (int step = 0; step < 7; ++step) report = scene.step();
  CHECK(scene.run->fetched == 2);  // the disk has not written the first vector
  CHECK(report.skipped == (scene.run->step - 2) / 2);
  CHECK(report.path.empty());
  CHECK(scene.run->unpinned == 0);
  scene.disk.let(1);
  CHECK(comes_true([&] { return scene.step().writing && scene.run->fetched == 3; }));
  CHECK(scene.run->unpinned == 1);  // released with the last vector, long before that is written
  CHECK(scene.run->pins == std::vector<std::int64_t>{2});
  CHECK_FALSE(std::filesystem::exists(scene.path(2)));
  scene.disk.let(1000);
  CHECK(comes_true([&] { return scene.step().path == scene.path(2); }));
  CHECK(scene.vector(2, "") == std::vector<float>(3, 20));
  CHECK(scene.vector(2, "m") == std::vector<float>(3, 21));
  CHECK(scene.vector(2, "v") == std::vector<float>(3, 22));
  scene.checkpoints->finish();
  CHECK(scene.run->unpinned == static_cast<int>(scene.run->pins.size()));
}

TEST_CASE("if a step has no time for a whole vector, the vector is fetched in parts of whole tensors") {
  constexpr std::size_t kFew = std::size_t{1} << 18;
  const std::vector<TensorInfo> tensors{
      {"a", {static_cast<std::int64_t>(kFew)}}, {"b", {10}}, {"none", {0}}, {"c", {5}}};
  CheckpointParts parts(tensors, 2);
  for (int vector = 0; vector < 2; ++vector) {
    CHECK(parts.next(1) == VectorPart{vector, 0, kFew});
    CHECK(parts.next(kFew + 1) == VectorPart{vector, 0, kFew + 10});
    CHECK(parts.next(1 << 30) == VectorPart{vector, 0, kFew + 15});
    parts.pass(parts.next(kFew));
    CHECK(parts.next(11) == VectorPart{vector, kFew, 15});
    parts.pass(parts.next(10));
    CHECK_FALSE(parts.done());
    parts.pass(parts.next(1));
  }
  CHECK(parts.done());
}

TEST_CASE("a checkpoint on a full disk reports an error and leaves no files, and the next checkpoint is written") {
  const CapturedErrors errors;
  JobScene scene;
  scene.disk.let(1000);
  scene.run->full_disk = true;
  CHECK(code_of([&] { scene.checkpoints->make({}); }) == ErrorCode::bad_file);
  CHECK(scene.step().error.find("No space left") != std::string::npos);
  CHECK(CheckpointSeries(scene.folder / "run").list().empty());
  CHECK(scene.checkpoints->make({}) == scene.path(1));
  CHECK(scene.run->unpinned == 2);
}

TEST_CASE("a requested checkpoint is written after the one that is in progress") {
  JobScene scene;
  scene.disk.let(1000);
  scene.step();
  scene.step();
  scene.step();
  CHECK(scene.checkpoints->make({}) == scene.path(3));
  CHECK(scene.vector(3, "v") == std::vector<float>(3, 32));
  CHECK(scene.vector(2, "v") == std::vector<float>(3, 22));
  CHECK(scene.run->unpinned == 2);
}

TEST_CASE("a vector that cannot be fetched is requested again, a limited number of times") {
  const CapturedErrors errors;
  JobScene scene(0);
  scene.disk.let(1000);
  scene.step();
  scene.run->failures = 2;
  CHECK(scene.checkpoints->make({}) == scene.path(1));
  scene.run->failures = 1000;
  scene.step();
  CHECK(code_of([&] { scene.checkpoints->make({}); }) == ErrorCode::worker_lost);
  CHECK(scene.run->unpinned == 2);
  CHECK(scene.step().error.find("worker 0 is lost") != std::string::npos);
  scene.run->failures = 0;
  CHECK(scene.checkpoints->make({}) == scene.path(3));
  CHECK(scene.step().error.empty());
  CHECK(errors.text().empty());
}

TEST_CASE("a final loss drops the checkpoint, and the next call throws the error, once") {
  const CapturedErrors errors;
  JobScene scene;
  scene.disk.let(1000);
  scene.run->final = true;
  const auto next = [&] { scene.checkpoints->throw_final(); };
  scene.step();
  scene.run->failures = 1;
  const CheckpointReport report = scene.step();
  CHECK(report.error.find("worker 0 is lost") != std::string::npos);
  CHECK_FALSE(report.writing);
  CHECK(code_of(next) == ErrorCode::worker_lost);
  CHECK_FALSE(code_of(next));
  scene.run->failures = 1;
  CHECK(code_of([&] { scene.checkpoints->make({}); }) == ErrorCode::worker_lost);
  CHECK_FALSE(code_of(next));
  scene.step();
  scene.run->failures = 1;
  scene.step();
  CHECK(code_of([&] { scene.checkpoints->make({}); }) == ErrorCode::worker_lost);  // of the previous checkpoint
  CHECK(scene.checkpoints->make({}) == scene.path(4));
  CHECK(errors.text().empty());
}

TEST_CASE("an old checkpoint that cannot be removed causes a warning, and the new checkpoint is written") {
  const CapturedErrors errors;
  JobScene scene(0);
  scene.disk.let(1000);
  for (int step = 1; step <= 3; ++step) {
    scene.step();
    scene.checkpoints->make({});
  }
  troupe::testing::write_file(scene.path(1) + "/notes", "mine");
  scene.step();
  CHECK(scene.checkpoints->make({}) == scene.path(4));
  CHECK(scene.step().error.empty());
  CHECK(errors.text().find("an old checkpoint could not be removed: ") != std::string::npos);
  CHECK(std::ranges::count(errors.text(), '\n') == 1);
}

TEST_CASE("a repeated error is printed once, until a checkpoint succeeds") {
  const CapturedErrors errors;
  JobScene scene(1);
  scene.disk.let(1000);
  const auto told = [&] { return std::ranges::count(errors.text(), '\n'); };
  for (std::ptrdiff_t time = 1; time <= 2; ++time) {
    scene.run->failures = 12;
    CHECK(comes_true([&] { return scene.step().error.find("worker 0 is lost") != std::string::npos; }));
    while (scene.run->failures > 0) scene.step();
    CHECK(told() == time);
    CHECK(comes_true([&] { return scene.step().error.empty(); }));
  }
  CHECK(told() == 2);
}
