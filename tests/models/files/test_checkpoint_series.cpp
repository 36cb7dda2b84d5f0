#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "models/files/checkpoint/series.hpp"
#include "models/files/checkpoints.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace fs = std::filesystem;

namespace {

std::vector<std::int64_t> steps_in(const CheckpointSeries& series) {
  std::vector<std::int64_t> steps;
  for (const SavedStep& saved : series.list()) {
    steps.push_back(saved.step);
    CHECK(saved.path == series.path_of(saved.step));
  }
  return steps;
}

using Steps = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a series lists its checkpoints by step, and nothing else") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder / "run");
  CHECK(series.list().empty());
  CHECK(series.path_of(1234) == folder / "run/step-00001234");
  fs::create_directory(folder / "run");
  for (const std::int64_t step : {2, 10, 0, 123'456'789}) fs::create_directory(series.path_of(step));
  for (const char* other :
       {"step-1", "step-0000000x", "step--0000001", "step-000000011", "step-00000005.tmp-x", "lock"})
    fs::create_directory(folder / (std::string("run/") + other));
  CHECK(steps_in(series) == Steps{123'456'789, 10, 2, 0});
  write_file(folder / "file", "");
  CHECK(code_of([&] { CheckpointSeries(folder / "file").list(); }) == ErrorCode::bad_file);
}

TEST_CASE("pruning keeps the last checkpoints up to the newest step, and later ones") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  for (const std::int64_t step : {1, 2, 3, 4, 9}) save(series.path_of(step), step);
  write_file(folder / "notes", "mine");
  series.prune(4, 2);
  CHECK(steps_in(series) == Steps{9, 4, 3});
  CHECK(load(series.path_of(3)) == 3);
  series.prune(9, 5);
  CHECK(steps_in(series) == Steps{9, 4, 3});
  series.prune(9, 1);
  CHECK(names_in(folder.path()) == Names{"notes", "step-00000009"});
}

TEST_CASE("pruning also keeps the best checkpoint: the first of equals, by the requested kind of metric") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  const auto save_with = [&](std::int64_t step, std::optional<CheckpointMetric> metric) {
    CheckpointManifest manifest = example_manifest(step, {});
    manifest.metric = std::move(metric);
    CheckpointWriter writer(series.path_of(step), manifest, kCheckpointTensors);
    writer.add(example_vector(step, 0));
    writer.commit();
  };
  CHECK_FALSE(best_step(series.list(), kHighest));
  save_with(1, CheckpointMetric{0.5, kHighest});
  save_with(2, CheckpointMetric{0.9, kHighest});
  save_with(3, CheckpointMetric{0.9, kHighest});
  save_with(4, CheckpointMetric{99, kLowest});
  save_with(5, {});
  save_with(9, CheckpointMetric{1, kHighest});
  CHECK(best_step(series.list(), kHighest) == 9);
  CHECK(best_step(series.list(), kLowest) == 4);
  series.prune(5, 2, kHighest);  // checkpoints after the newest step do not count
  CHECK(steps_in(series) == Steps{9, 5, 4, 2});
  write_file(series.path_of(2) + "/manifest.json", "");
  series.prune(5, 2, kHighest);
  CHECK(steps_in(series) == Steps{9, 5, 4});
  series.prune(5, 1);
  CHECK(steps_in(series) == Steps{9, 5});
}

TEST_CASE("remains of killed checkpoint writers are removed or restored for every step") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  save(series.path_of(5), 5);
  fs::create_directory(series.path_of(6) + ".tmp-0123456789abcdef");
  fs::create_directory(series.path_of(8) + ".tmp-0123456789abcdef");
  write_file(series.path_of(8) + ".tmp-0123456789abcdef/weights.safetensors", "whose manifest a crash took");
  fs::rename(series.path_of(5), series.path_of(5) + ".tmp-old");
  save(series.path_of(7), 7);
  fs::rename(series.path_of(7), series.path_of(7) + ".tmp-0123456789abcdef");
  fs::create_directory(folder / "mine.tmp-0123456789abcdef");
  series.tidy();
  CHECK(names_in(folder.path()) == Names{"mine.tmp-0123456789abcdef", "step-00000005"});
  CHECK(load(series.path_of(5)) == 5);
}

TEST_CASE("a checkpoint of a writer killed between two renames is listed, too") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  save(series.path_of(5), 5);
  fs::rename(series.path_of(5), series.path_of(5) + ".tmp-old");
  CHECK(steps_in(series) == Steps{5});
  save(series.path_of(6), 6);
  series.prune(6, 2);
  CHECK(names_in(folder.path()) == Names{"step-00000005", "step-00000006"});
}

TEST_CASE("pruning does not remove a checkpoint behind a symbolic link") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  const CheckpointSeries series(folder.path());
  save(elsewhere / "mine", 1);
  fs::create_directory_symlink(elsewhere / "mine", series.path_of(1));
  save(series.path_of(2), 2);
  series.prune(2, 1);
  CHECK(names_in(folder.path()) == Names{"step-00000002"});
  CHECK(load(elsewhere / "mine") == 1);
}

TEST_CASE("pruning reports a checkpoint that it cannot remove, removes the others, and tries again later") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  for (const std::int64_t step : {1, 2, 3}) save(series.path_of(step), step);
  write_file(series.path_of(2) + "/notes", "mine");
  CHECK(code_of([&] { series.prune(3, 1); }) == ErrorCode::bad_file);
  CHECK(steps_in(series) == Steps{3});
  const Names left = names_in(folder.path());
  REQUIRE(left.size() == 2);
  CHECK(left[0].starts_with("step-00000002.tmp-"));
  fs::remove(folder / (left[0] + "/notes"));
  series.prune(3, 1);
  CHECK(names_in(folder.path()) == Names{"step-00000003"});
}

TEST_CASE("when a run resumes from an earlier checkpoint, the later ones of its series are renamed, except its own") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  for (const std::int64_t step : {1, 2, 3, 4}) save(series.path_of(step), step);
  series.branch(1, 3);
  CHECK(names_in(folder.path()) == Names{"left-step-00000002", "left-step-00000004", "step-00000001", "step-00000003"});
}

TEST_CASE("a damaged checkpoint is set aside under a free name, any number of times") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder.path());
  for (int time = 0; time < 2; ++time) {
    save(series.path_of(3), 3);
    CHECK(series.set_aside(series.list().at(0)));
    CHECK(series.list().empty());
  }
  CHECK(names_in(folder.path()) == Names{"damaged-step-00000003", "damaged-step-00000003-2"});
  CHECK_FALSE(series.set_aside({4, series.path_of(4)}));
}

TEST_CASE("only one run at a time can lock a checkpoint series") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder / "new/run");
  std::optional<SeriesLock> lock(series);
  const auto take = [&] { SeriesLock{series}; };
  CHECK(code_of(take) == ErrorCode::in_use);
  CHECK(where_of(take).object == series.folder());
  lock.reset();
  CHECK_FALSE(code_of(take));
  CHECK(steps_in(series).empty());
  write_file(folder / "file", "");
  CHECK(code_of([&] { SeriesLock{CheckpointSeries(folder / "file")}; }) == ErrorCode::bad_file);
}

TEST_CASE("a checkpoint series in a folder without write permission is refused with the folder's name") {
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  const uid_t before = ::geteuid();
  if (before == 0) REQUIRE(::seteuid(65534) == 0);  // root may write everywhere
  const std::string inside = message_of([&] { SeriesLock{CheckpointSeries(folder / "run")}; });
  const std::string itself = message_of([&] { SeriesLock{CheckpointSeries(folder.path())}; });
  REQUIRE(::seteuid(before) == 0);
  for (const std::string& message : {inside, itself}) {
    CHECK_MESSAGE(message.find("Permission denied") != std::string::npos, message);
    CHECK_MESSAGE(message.find(folder.path().string()) != std::string::npos, message);
  }
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("verifying a checkpoint reads every tensor and names the damaged one") {
  const TemporaryFolder folder;
  save(folder / "c", 7);
  CHECK_FALSE(code_of([&] { CheckpointReader(folder / "c").verify(); }));
  for (const std::string file : {"c/weights.safetensors", "c/state.safetensors"}) {
    const std::string whole = read_file(folder / file);
    std::string spoiled = whole;
    spoiled.back() = static_cast<char>(spoiled.back() ^ 1);
    write_file(folder / file, spoiled);
    const auto verify = [&] { CheckpointReader(folder / "c").verify(); };
    CHECK(code_of(verify) == ErrorCode::bad_file);
    CHECK(message_of(verify).find(file.starts_with("c/w") ? "'b'" : "'v/b'") != std::string::npos);
    write_file(folder / file, whole);
  }
}

TEST_CASE("verifying a checkpoint names all damaged tensors of a file") {
  const TemporaryFolder folder;
  save(folder / "c", 7);
  std::string bytes = read_file(folder / "c/state.safetensors");
  for (const std::size_t back : {1, 5, 29}) bytes[bytes.size() - back] ^= 1;
  write_file(folder / "c/state.safetensors", bytes);
  const CheckpointReader reader(folder / "c");
  CHECK(reader.damaged_weights().empty());
  CHECK(reader.damaged_state() == Names{"m/b", "v/a.weight", "v/b"});
  CHECK(message_of([&] { reader.verify(); }).find("'m/b', 'v/a.weight', 'v/b'") != std::string::npos);
}

TEST_CASE("a lock on a checkpoint series waits for processes that a finished run was starting") {
  const TemporaryFolder folder;
  const CheckpointSeries series(folder / "run");
  std::optional<SeriesLock> held(series);
  std::jthread child([&held] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    held.reset();
  });
  CHECK_NOTHROW(SeriesLock{series});
}
