#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include "actors/test_models.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::quiet_options;

namespace {

/// Computes in the requested precision, except for the replica on (worker, device), which supports f32 only.
class PreciseModel : public troupe_test::NoiseModel {
 public:
  PreciseModel(int worker, int device) : NoiseModel(7), worker_(worker), device_(device) {}

  int starts() const { return starts_; }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    ++starts_;
    const bool other = context.worker == worker_ && context.replica == device_;
    return {.size = 7, .precision = other ? Precision::f32 : context.precision};
  }

 private:
  int worker_;
  int device_;
  int starts_ = 0;
};

auto precise(int worker, int device) {
  return [=](const ReplicaContext&) { return std::make_unique<PreciseModel>(worker, device); };
}

Options four_replicas(Precision precision) {
  Options options = quiet_options(Placement::in_process, 2);
  options.compute.devices_per_worker = 2;
  options.compute.precision = precision;
  return options;
}

/// Returns everything that is written to std::cerr while `action` runs.
template <class F>
std::string standard_error_of(F action) {
  std::ostringstream text;
  std::streambuf* kept = std::cerr.rdbuf(text.rdbuf());
  action();
  std::cerr.rdbuf(kept);
  return text.str();
}

}  // namespace

TEST_CASE("each replica is started once, before any other call, and the run uses the precision of its replicas") {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    DistributedSGD sgd(precise(-1, -1), four_replicas(precision));
    CHECK(sgd.precision() == precision);
    const auto starts = [](Model& model, std::span<const float>) {
      return std::to_string(dynamic_cast<PreciseModel&>(model).starts());
    };
    CHECK(sgd.foreach_model(starts) == std::vector<Json>(4, "1"));
  }
}

TEST_CASE("a model creator receives the requested precision with every placement") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    Options options = quiet_options(placement, 2);
    options.compute.precision = Precision::bf16;
    CHECK(DistributedSGD("as-told", options).precision() == Precision::bf16);
    options.compute.precision = Precision::f32;
    CHECK(DistributedSGD("as-told", options).precision() == Precision::f32);
  }
}

TEST_CASE("without precision_check, an error names the replica that computes in another precision") {
  Options options = four_replicas(Precision::bf16);
  options.compute.precision_check = false;
  for (const auto& [worker, device] : {std::pair{1, 0}, {0, 1}}) {
    const auto start = [&, w = worker, d = device] { DistributedSGD(precise(w, d), options); };
    CHECK(code_of(start) == ErrorCode::model_mismatch);
    CHECK(where_of(start).worker == worker);
    const std::string message = message_of(start);
    CHECK(message.find("worker " + std::to_string(worker) + "'s replica on device " + std::to_string(device) +
                       " computes in f32, worker 0's on device 0 in bf16") != std::string::npos);
  }
}

TEST_CASE("if one replica does not support bf16, all replicas compute in f32") {
  for (const auto& [worker, device] : {std::pair{1, 0}, {0, 1}}) {
    DistributedSGD sgd(precise(worker, device), four_replicas(Precision::bf16));
    CHECK(sgd.precision() == Precision::f32);
    CHECK_FALSE(sgd.precision_choice().measured.known());
    sgd.step();
  }
}

TEST_CASE("verbose runs print once that they use f32 instead of bf16") {
  Options options = quiet_options(Placement::in_process, 2);
  options.config = "7";
  options.compute.precision = Precision::bf16;
  const auto start = [&] { CHECK(DistributedSGD("noise", options).precision() == Precision::f32); };
  CHECK(standard_error_of(start).empty());
  options.verbose = true;
  CHECK(standard_error_of(start) == "troupe: the model does not support bf16 on this machine; computing in f32\n");
  options.compute.precision = Precision::f32;
  CHECK(standard_error_of(start).empty());
}
