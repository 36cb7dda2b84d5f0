#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "actors/algorithms/known_algorithms.hpp"
#include "cuda/cuda_cases.hpp"
#include "cuda/run_end.hpp"
#include "models/network_trial.hpp"
#include "troupe/layers.hpp"
#include "troupe/loss.hpp"
#include "troupe/models.hpp"
#include "troupe/sgd.hpp"

// The costs of a pass on a device, and their reports.
using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;
using troupe_test::nothing_is_left;

namespace {

std::int64_t bytes_copied() { return cuda_double::bytes_to_device() + cuda_double::bytes_to_host(); }

std::int64_t bytes_of(const AlignedFloats& vector) { return static_cast<std::int64_t>(vector.size() * sizeof(float)); }

LayerTime row_of(const std::vector<LayerTime>& times, const std::string& kind) {
  const auto found = std::ranges::find(times, kind, &LayerTime::kind);
  REQUIRE(found != times.end());
  return *found;
}

/// Returns the time of `count` pieces of a stream's work: in the double each takes one microsecond.
doctest::Approx microseconds(int count) { return doctest::Approx(count * 1e-6).epsilon(1e-3); }

}  // namespace

TEST_CASE("CUDA: the report of a step contains the bytes over the bus") {
  cuda_double::reset({});
  {
    const ModelCreator creator([](const ReplicaContext& /*context*/) {
      return network({conv2d(8, {.kernel = 3, .padding = 1}), relu(), flatten(), linear(10)},
                     load_data("mock-images:8,10", 1), 4);
    });
    Options options;
    options.num_workers = 2;
    options.compute.devices_per_worker = 2;
    options.num_shards = 6;
    options.compute.device = troupe::Device::cuda;
    options.verbose = false;
    DistributedSGD sgd(creator, options);
    const auto step_bytes = [&] {
      const std::int64_t before = bytes_copied();
      const std::int64_t told = sgd.step().bytes_over_bus;
      CHECK(told == bytes_copied() - before);
      return told;
    };
    constexpr std::int64_t kSamples = 4 * 3 * 8 * 8;
    constexpr std::int64_t kScores = 4 * 10;
    constexpr std::int64_t kSteps = 3;
    const auto parameters = static_cast<std::int64_t>(sgd.weights().size());
    std::int64_t bytes = 0;
    for (int step = 0; step < kSteps; ++step) bytes += step_bytes();
    // Weights to 4 replicas, gradients of 6 shards.
    const std::int64_t expected = kSteps * 4 * ((4 + 6) * parameters + 6 * (kSamples + 2 * kScores));
    CHECK(bytes >= expected);
    const std::int64_t padding = kSteps * (4 + 6) * 4 * 4 * 32;  // padding of the layout
    const std::int64_t early = 2 * 4 * 4 * kSamples;             // samples of the fourth step, and of the second one
                                                                 // read ahead
    CHECK(bytes < expected + padding + early);
    options.compute.device = troupe::Device::cpu;
    CHECK(DistributedSGD(creator, options).step().bytes_over_bus == 0);
  }
  CHECK(nothing_is_left());
  cuda_double::reset({});
}

TEST_CASE("CUDA: weights are sent once per version") {
  cuda_double::reset({});
  {
    const NetworkTrial trial(two_buckets(), 4);
    AlignedFloats others = trial.weights;
    for (float& weight : others) weight *= 1.5F;
    const WeightsVersion first{trial.weights.data(), 1}, second{trial.weights.data(), 2};
    struct Call {
      WeightsVersion said;
      const AlignedFloats& weights;
    };
    AlignedFloats gradient(trial.gradient.size()), expected(trial.gradient.size());
    /// Returns whether the second of two passes sends its weights. Checks that its gradient is correct in either case.
    const auto sends = [&](const Call& before, const Call& last) {
      trial.network->gradient({}, trial.samples(), last.weights, expected);
      trial.network->gradient({.weights = before.said}, trial.samples(), before.weights, gradient);
      const std::int64_t bytes = cuda_double::bytes_to_device();
      trial.network->gradient({.weights = last.said}, trial.samples(), last.weights, gradient);
      CHECK(gradient == expected);
      return cuda_double::bytes_to_device() - bytes > bytes_of(gradient) / 2;
    };
    CHECK_FALSE(sends({first, trial.weights}, {first, trial.weights}));
    CHECK(sends({first, trial.weights}, {second, trial.weights}));
    CHECK(sends({{}, trial.weights}, {{}, trial.weights}));
    CHECK(sends({{first.data, 0}, trial.weights}, {{first.data, 0}, trial.weights}));
    // A wrapper model may pass on the caller's version with other weights that it derived.
    CHECK(sends({first, trial.weights}, {first, others}));
    CHECK(sends({first, others}, {first, trial.weights}));
    CHECK(sends({first, others}, {first, others}));

    const double loss = trial.network->evaluate({}, trial.samples(), trial.weights).loss_sum;
    trial.network->gradient({.weights = first}, trial.samples(), trial.weights, gradient);
    const std::int64_t bytes = cuda_double::bytes_to_device();
    CHECK(trial.network->evaluate({.weights = first}, trial.samples(), trial.weights).loss_sum == loss);
    CHECK(cuda_double::bytes_to_device() - bytes < bytes_of(gradient) / 2);
    std::vector<float> outputs(kClasses);
    trial.network->gradient({}, trial.samples(), trial.weights, expected);
    trial.network->gradient({.weights = first}, trial.samples(), trial.weights, gradient);
    trial.network->outputs(trial.samples(0, 1).values, others, {}, outputs);
    trial.network->gradient({.weights = first}, trial.samples(), trial.weights, gradient);
    CHECK(gradient == expected);
  }
  CHECK(nothing_is_left());
  cuda_double::reset({});
}

TEST_CASE("CUDA: after a failed pass the weights are sent again") {
  cuda_double::reset({});
  {
    const NetworkTrial trial(two_buckets(), 4);
    bool fails = false;
    const auto value = [](std::span<const float> outputs, const Target& /*target*/) -> double { return outputs[0]; };
    const auto derive = [&](std::span<const float> /*outputs*/, const Target& /*target*/, std::span<float> gradient) {
      if (fails) throw std::runtime_error("not this one");
      std::ranges::fill(gradient, 1.0F);
    };
    const auto network =
        make_trial_network(trial.plan, std::make_shared<FunctionLoss>("ones", value, derive), 4, Precision::f32, false);
    AlignedFloats gradient(trial.gradient.size());
    const ShardStep at{.weights = {trial.weights.data(), 1}};
    const auto bytes_of_pass = [&] {
      const std::int64_t before = cuda_double::bytes_to_device();
      network->gradient(at, trial.samples(), trial.weights, gradient);
      return cuda_double::bytes_to_device() - before;
    };
    CHECK(bytes_of_pass() > bytes_of(gradient) / 2);
    CHECK(bytes_of_pass() < bytes_of(gradient) / 2);
    fails = true;
    CHECK_THROWS_AS(bytes_of_pass(), std::runtime_error);
    fails = false;
    CHECK(bytes_of_pass() > bytes_of(gradient) / 2);
  }
  CHECK(nothing_is_left());
  cuda_double::reset({});
}

TEST_CASE("CUDA: a profile lists layers, copies and waits for copies") {
  cuda_double::reset({});
  {
    const NetworkTrial trial(two_buckets(), 4);  // the first pass was the training; the second pass is measured
    AlignedFloats again(trial.gradient.size());
    trial.network->gradient({}, trial.samples(0, 2), trial.weights, again);
    trial.network->evaluate({}, trial.samples(), trial.weights);
    const std::vector<LayerTime> times = trial.network->profile();
    constexpr int kPasses = 2;
    constexpr int kSamples = 2 * kPasses;

    const LayerTime convolutions = row_of(times, "convolution 3x3");
    CHECK(convolutions.layers == 2);
    CHECK(convolutions.forward_seconds >= 2 * kPasses * 1.9e-6);  // a convolution each, and a mark
    CHECK(convolutions.backward_seconds >= 2 * kPasses * 1.9e-6);
    CHECK(convolutions.forward_flops == doctest::Approx(kSamples * 2.0 * 9 * 4 * 36 * (2 + 4)));
    CHECK(convolutions.backward_flops == doctest::Approx(kSamples * 2.0 * 9 * 4 * 36 * (2 + 2 * 4)));
    CHECK(row_of(times, "linear").layers == 2);
    // A wait and a mark: for samples, and for each of two buckets of weights.
    CHECK(row_of(times, "waiting for copies").forward_seconds == microseconds(3 * 2 * kPasses));
    // From the end of the computation to the end of the copies.
    CHECK(row_of(times, "waiting for copies").backward_seconds == microseconds(kPasses));
    const LayerTime copies = row_of(times, "copies (concurrent)");
    CHECK(copies.beside);
    CHECK(copies.forward_seconds == microseconds(3 * 2 * kPasses));
    CHECK(copies.backward_seconds == microseconds(2 * 2 * kPasses));
  }
  CHECK(cuda_double::complaints() == std::vector<std::string>());
  CHECK(cuda_double::usage() == cuda_double::Usage{});
  cuda_double::reset({});
}

TEST_CASE("CUDA: each algorithm reports the bytes over the bus") {
  for (const char* const algorithm : {"downpour", "ssp", "local", "lbfgs"}) {
    CAPTURE(algorithm);
    cuda_double::reset({});
    const ModelCreator creator([](const ReplicaContext& /*context*/) {
      return network({flatten(), linear(10)}, load_data("mock-images:8,10", 1), 4);
    });
    Options options;
    options.num_workers = 2;
    options.compute.device = troupe::Device::cuda;
    options.verbose = false;
    options.algorithm = algorithm_by_name(algorithm);
    {
      DistributedSGD sgd(creator, options);
      const std::int64_t before = bytes_copied();
      const std::int64_t told = sgd.step().bytes_over_bus;
      CHECK(told > 0);
      CHECK(told <= bytes_copied() - before);
      // With other algorithms, workers continue after the step.
      if (algorithm == std::string("local") || algorithm == std::string("lbfgs"))
        CHECK(told == bytes_copied() - before);
    }
    CHECK(nothing_is_left());
  }
  cuda_double::reset({});
}

// docs/cuda.md has these numbers, of a batch that is unfolded at once and of 3x3 layers that are not unfolded.
TEST_CASE("CUDA: a pass of ResNet-50 has the planned costs") {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    cuda_double::reset({.races = false});
    {
      constexpr int kSide = 8;
      const NetworkTrial trial({"resnet50", {3, kSide, kSide}, resnet(50, kClasses)}, 1, precision);
      AlignedFloats again(trial.gradient.size());
      const std::int64_t launches = cuda_double::launches();
      const std::int64_t waits = cuda_double::waits();
      const std::int64_t to_device = cuda_double::bytes_to_device();
      const std::int64_t to_host = cuda_double::bytes_to_host();
      trial.network->gradient({}, trial.samples(), trial.weights, again);
      CHECK(cuda_double::launches() - launches == (precision == Precision::f32 ? 495 : 535));
      CHECK(cuda_double::waits() - waits == 38);
      const auto parameters = static_cast<std::int64_t>(trial.weights.size());
      CHECK(cuda_double::bytes_to_device() - to_device == 4 * (parameters + 3 * kSide * kSide + kClasses));
      CHECK(cuda_double::bytes_to_host() - to_host == 4 * (parameters + kClasses));
    }
    CHECK(cuda_double::usage() == cuda_double::Usage{});
  }
  cuda_double::reset({});
}
