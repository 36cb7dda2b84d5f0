#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <tuple>

#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/captured_errors.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;
using troupe_test::CapturedErrors;
using troupe_test::quiet_options;
using troupe_test::WeighedModel;

namespace {

/// Creates replicas for two workers and later ones, and records the context of each replica.
class Weighed {
 public:
  explicit Weighed(std::vector<PrecisionSeconds> by_worker) : by_worker_(std::move(by_worker)) {}

  ModelCreator creator() {
    return [this](const ReplicaContext& at) {
      const std::lock_guard lock(mutex_);
      told_.push_back(at);
      return std::make_unique<WeighedModel>(by_worker_.at(static_cast<std::size_t>(at.worker)));
    };
  }
  /// The numbers of replicas that were created, and of those that had to measure.
  std::ptrdiff_t made() const { return std::ssize(told_); }
  std::ptrdiff_t checked() const { return std::ranges::count(told_, true, &ReplicaContext::precision_check); }
  std::ptrdiff_t made_in(Precision precision) const {
    return std::ranges::count(told_, precision, &ReplicaContext::precision);
  }

 private:
  std::vector<PrecisionSeconds> by_worker_;
  std::mutex mutex_;
  std::vector<ReplicaContext> told_;
};

Options weighed_options() {
  Options options = quiet_options(Placement::in_process, 2);
  options.num_shards = 6;
  options.compute.precision = Precision::bf16;
  return options;
}

constexpr PrecisionSeconds kSlower{1, 1.5};  ///< bf16 is slower than f32
constexpr PrecisionSeconds kFaster{1, 0.5};

}  // namespace

TEST_CASE("if all workers measure the same, no replica is built twice") {
  for (const auto& [seconds, decided] : {std::pair{kSlower, Precision::f32}, {kFaster, Precision::bf16}}) {
    Weighed weighed({seconds, seconds});
    DistributedSGD sgd(weighed.creator(), weighed_options());
    CHECK(sgd.precision() == decided);
    CHECK(sgd.precision_choice().asked == Precision::bf16);
    CHECK(sgd.precision_choice().measured.bf16 == seconds.bf16);
    CHECK(weighed.made() == 2);
    sgd.step();
  }
}

TEST_CASE("the slowest worker in each precision decides, and workers with another choice are built again") {
  const PrecisionSeconds much_slower{1, 4};
  const PrecisionSeconds slow_machine{3, 2};
  for (const auto& [first, second, decided] :
       {std::tuple{much_slower, slow_machine, Precision::f32}, {slow_machine, kSlower, Precision::bf16}}) {
    Weighed weighed({first, second});
    DistributedSGD sgd(weighed.creator(), weighed_options());
    CHECK(sgd.precision() == decided);
    CHECK(weighed.made() == 3);
    CHECK(weighed.checked() == 2);
    CHECK(weighed.made_in(Precision::f32) == (decided == Precision::f32 ? 1 : 0));
    sgd.step();
  }
}

TEST_CASE("workers that join later use the decided precision without measuring") {
  Weighed weighed({kSlower, kFaster, {0.1, 0.01}, {0.1, 0.01}});
  DistributedSGD sgd(weighed.creator(), weighed_options());
  CHECK(sgd.precision() == Precision::f32);
  sgd.step();
  sgd.resize(4);
  sgd.step();
  CHECK(sgd.precision() == Precision::f32);
  CHECK(weighed.checked() == 2);
}

TEST_CASE("a worker that replaces a lost one uses the decided precision") {
  Options options = weighed_options();
  options.placement = Placement::processes;
  options.config = "1 1.5 0.1 0.05";  // worker 1 alone would choose bf16
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 2}};
  options.fault_tolerance.max_failures = 1;
  DistributedSGD sgd("weighed", options);
  CHECK(sgd.precision() == Precision::f32);
  std::size_t repairs = 0;  // worker 1 may have sent all replies of step 2 before its death
  for (int step = 1; step <= 3; ++step) repairs += sgd.step().repairs.size();
  CHECK(repairs == 1);
  CHECK(sgd.precision() == Precision::f32);
}

TEST_CASE("nothing is measured without need") {
  Weighed weighed({kSlower, kSlower});
  Options options = weighed_options();
  options.compute.precision_check = false;
  CHECK(DistributedSGD(weighed.creator(), options).precision() == Precision::bf16);
  options.compute.precision_check = true;
  options.compute.precision = Precision::f32;
  CHECK(DistributedSGD(weighed.creator(), options).precision() == Precision::f32);
  CHECK(weighed.checked() == 0);
}

TEST_CASE("a resumed run computes in the precision of its checkpoint") {
  const TemporaryFolder folder;
  for (const auto& [seconds, decided] : {std::pair{kSlower, Precision::f32}, {kFaster, Precision::bf16}}) {
    Options options = weighed_options();
    options.checkpoint.folder = folder / to_string(decided);
    Weighed before({seconds, seconds});
    {
      DistributedSGD sgd(before.creator(), options);
      sgd.step();
      sgd.checkpoint();
    }
    options.checkpoint.resume = true;
    const PrecisionSeconds otherwise = decided == Precision::f32 ? kFaster : kSlower;
    Weighed after({otherwise, otherwise});
    DistributedSGD sgd(after.creator(), options);
    CHECK(sgd.precision() == decided);
    CHECK(sgd.precision_choice().resumed);
    CHECK(after.checked() == 0);
  }
}

TEST_CASE("a checkpoint of a run with f32 requested does not decide the precision") {
  const TemporaryFolder folder;
  Options options = weighed_options();
  options.compute.precision = Precision::f32;
  options.checkpoint.folder = folder / "run";
  Weighed weighed({kFaster, kFaster});
  {
    DistributedSGD sgd(weighed.creator(), options);
    sgd.checkpoint();
  }
  options.compute.precision = Precision::bf16;
  options.checkpoint.resume = true;
  const CapturedErrors errors;
  DistributedSGD sgd(weighed.creator(), options);
  CHECK(sgd.precision() == Precision::bf16);
  CHECK(weighed.checked() == 2);
  CHECK(errors.text().find(
            "computed in f32; this run computes in bf16: from here on the results are not bitwise identical") !=
        std::string::npos);
}

TEST_CASE("verbose runs print why they compute in f32") {
  const TemporaryFolder folder;
  Options options = weighed_options();
  options.verbose = true;
  options.checkpoint.folder = folder / "run";
  Weighed weighed({kSlower, {2, 2.4}});
  const CapturedErrors errors;
  {
    DistributedSGD sgd(weighed.creator(), options);
    sgd.checkpoint();
  }
  CHECK(errors.text() ==
        "troupe: bf16 takes 1.20 times as long as f32 here; computing in f32 (to compute in bf16 anyway: "
        "precision_check = false, --no-precision-check)\n");
  options.checkpoint.resume = true;
  const CapturedErrors later;
  DistributedSGD(weighed.creator(), options);
  CHECK(later.text() ==
        "troupe: computing in f32, as the checkpoint's run did (to compute in bf16 anyway: "
        "precision_check = false, --no-precision-check)\n");
}
