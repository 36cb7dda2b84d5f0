#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "runtime/processes/kernel_file.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

// Tests of promises in docstrings: arguments, alignment, threads, moved-from objects, exceptions.
using namespace troupe;
using troupe::testing::TemporaryFolder;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

/// Throws if a span is less aligned than Model promises. Some of its floats are statistics, and no length is a round
/// number.
class AlignedModel final : public Model {
 public:
  static void check(const char* what, std::span<const float> span) {
    if (reinterpret_cast<std::uintptr_t>(span.data()) % 64 != 0)
      throw Error(ErrorCode::model_failed, std::string(what) + " are not aligned to 64 bytes");
  }

  BatchResult gradient(const ShardStep& /*at*/, std::span<const float> weights, std::span<float> gradient) override {
    check("weights", weights);
    check("gradients", gradient);
    std::fill(gradient.begin(), gradient.end(), 1.0F);
    return {1, 1};
  }
  void update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                         std::span<const float> statistics, std::span<float> updated) const override {
    check("means", mean);
    check("statistics", statistics);
    check("new statistics", updated);
    std::copy(mean.begin(), mean.end(), updated.begin());
  }
  void initialize(std::span<float> weights, std::uint64_t /*seed*/) override { check("first weights", weights); }
  EvaluationResult evaluate(const ShardStep& /*at*/, std::span<const float> weights) override {
    check("weights of an evaluation", weights);
    return {1, 1, 1};
  }
  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override {
    check("flat vectors", weights);
    check("canonical vectors", canonical);
    Model::to_canonical(weights, canonical);
  }
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override {
    check("canonical vectors to read", canonical);
    check("flat vectors to write", weights);
    Model::from_canonical(canonical, weights);
  }

 private:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    return {.size = 7 * 4096 + 37, .learned_size = 4128};
  }
};

/// Returns the arguments of this process. Called in a worker process.
std::string arguments_here() { return read_kernel_file("/proc/self/cmdline"); }

bool register_for_workers() {
  register_model("aligned", [](const ReplicaContext&) { return std::make_unique<AlignedModel>(); });
  register_model_function("check-alignment", [](Model&, std::span<const float> weights) {
    AlignedModel::check("weights of a function", weights);
    return std::string("aligned");
  });
  register_model_function("refuse-data", [](Model&, std::span<const float>) -> std::string {
    throw Error(ErrorCode::bad_data, "no such data");
  });
  register_worker_function("arguments", [](const WorkerView&) {
    return arguments_here() + (std::getenv("TROUPE_LAUNCH") == nullptr ? "" : " and more");
  });
  return true;
}
[[maybe_unused]] const bool registered = register_for_workers();

Options small(Placement placement, int workers = 2) {
  Options options = quiet_options(placement, workers);
  options.config = "7";
  return options;
}

}  // namespace

TEST_CASE("worker processes have the command-line arguments of this program") {
  DistributedSGD sgd("noise", small(Placement::processes));
  CHECK(sgd.foreach_worker("arguments") == std::vector<Json>(2, arguments_here()));
}

TEST_CASE("an error states that the environment is too long for a worker process") {
  ::setenv("TROUPE_TEST_LONG", std::string(200'000, 'x').c_str(), 1);
  const auto start = [] { const DistributedSGD sgd("noise", small(Placement::processes)); };
  CHECK(code_of(start) == ErrorCode::limit_reached);
  CHECK(message_of(start).find("arguments and environment") != std::string::npos);
  ::unsetenv("TROUPE_TEST_LONG");
}

TEST_CASE("spans that models and functions receive are aligned to 64 bytes") {
  const TemporaryFolder folder;
  for (const Placement placement : kPlacements)
    for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
      Options options = small(placement);
      options.gradients.strategy = strategy;
      options.num_shards = 3;
      edit(options)->momentum = 0.9;
      DistributedSGD sgd("aligned", options);
      for (int i = 0; i < 2; ++i) sgd.step();
      CHECK(sgd.evaluate().samples == 3);
      sgd.set_weights(sgd.weights());
      sgd.save_state(folder / "state");
      sgd.load_state(folder / "state");
      CHECK(sgd.foreach_model("check-alignment") == std::vector<Json>(2, "aligned"));
    }
}

TEST_CASE("several threads may use an object one after another, and several objects at the same time") {
  for (const Placement placement : kPlacements) {
    DistributedSGD first("noise", small(placement));
    DistributedSGD second("noise", small(placement));
    for (int i = 0; i < 3; ++i) std::thread([&] { first.step(); }).join();
    first.step();
    std::thread beside([&] {
      for (int i = 0; i < 4; ++i) second.step();
    });
    for (int i = 0; i < 2; ++i) first.weights();
    beside.join();
    CHECK(first.weights() == second.weights());
  }
}

TEST_CASE("a call during another call on the same object throws, and the run continues") {
  DistributedSGD sgd("noise", small(Placement::in_process));
  std::string told;
  sgd.read_weights([&](auto) {
    CHECK(code_of([&] { sgd.evaluate(); }) == ErrorCode::invalid_argument);
    CHECK(sgd.num_workers() == small(Placement::in_process).num_workers.min);  // needs no work
    std::thread([&] { told = message_of([&] { sgd.step(); }); }).join();
  });
  CHECK_MESSAGE(told.find("one thread at a time") != std::string::npos, told);
  CHECK(sgd.step().step == 1);
}

TEST_CASE("a moved-from object throws, and can be assigned a new value") {
  DistributedSGD first("noise", small(Placement::in_process));
  first.step();
  DistributedSGD second = std::move(first);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  CHECK(code_of([&] { first.step(); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { first.weights(); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { first.report(); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { first.evaluate(); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { first.save("/nowhere"); }) == ErrorCode::invalid_argument);
  CHECK(message_of([&] { first.num_workers(); }).find("moved from") != std::string::npos);
  // NOLINTEND(bugprone-use-after-move)
  first = std::move(second);
  CHECK(first.step().step == 2);
}

TEST_CASE("an exception of user code ends the call, and the run continues") {
  for (const Placement placement : kPlacements) {
    DistributedSGD sgd("noise", small(placement));
    CHECK(code_of([&] { sgd.foreach_model("refuse-data"); }) == ErrorCode::bad_data);
    CHECK(where_of([&] { sgd.foreach_model("refuse-data"); }).worker >= 0);
    const auto read = [&] { sgd.read_weights([](auto) { throw std::out_of_range("an exception of the caller"); }); };
    CHECK_THROWS_AS(read(), std::out_of_range);
    CHECK(sgd.step().step == 1);
  }
}

TEST_CASE("the version string matches the version numbers") {
  const auto part = [](int number) { return std::to_string(number); };
  CHECK(std::string(TROUPE_VERSION) ==
        part(TROUPE_VERSION_MAJOR) + "." + part(TROUPE_VERSION_MINOR) + "." + part(TROUPE_VERSION_PATCH));
}
