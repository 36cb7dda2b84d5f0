#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "cuda/cuda_cases.hpp"
#include "cuda/double/double.hpp"
#include "models/network_trial.hpp"
#include "support/patience.hpp"
#include "troupe/error.hpp"
#include "troupe/layers.hpp"

// Typical errors of a CUDA backend: the order of its streams, failing calls, and leaks.
using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;
using Node = Graph::Node;

namespace {

/// Returns a network with many kinds of layers, in one bucket.
Graph residual_network() {
  Graph graph;
  Node node = graph.append("conv1", conv2d(8, {.kernel = 3, .padding = 1, .bias = false}), {Graph::input()});
  node = graph.append("", relu(), {graph.append("bn1", batch_norm(), {node})});
  const Node shortcut = graph.append("", max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), {node});
  node =
      graph.append("bn2", batch_norm(),
                   {graph.append("conv2", conv2d(8, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), {node})});
  node = graph.append("", relu(), {graph.append("", add(), {node, shortcut})});
  node = graph.append("", dropout(0.25), {graph.append("", global_average_pool(), {node})});
  graph.append("fc", linear(kClasses), {node});
  return graph;
}

Case residual() { return {"residual", {3, 7, 6}, residual_network()}; }

Case cnn() {
  return {"CNN",
          {1, 12, 12},
          {conv2d(8, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2}),
           conv2d(16, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2}), flatten(), linear(20), gelu(),
           linear(kClasses)}};
}

/// Announces one batch.
class NextBatch final : public BatchesAhead {
 public:
  explicit NextBatch(const Batch& batch) : batch_(batch) {}
  Batch peek() const override { return batch_; }

 private:
  Batch batch_;
};

/// Runs passes on a fresh device and returns all results: the gradients of two steps, the second one on another shard,
/// and an evaluation. The samples of each pass have another address than those of the pass before, and those of the
/// third pass are read ahead.
std::vector<float> bits_of(const Case& at, Precision precision) {
  const NetworkTrial trial(at, 4, precision);
  std::vector<float> bits(trial.gradient.begin(), trial.gradient.end());
  AlignedFloats again(trial.gradient.size()), weights = trial.weights;
  for (float& weight : weights) weight *= 1.25F;
  Batch third = trial.samples(0, 3);
  third.content = 3;
  const NextBatch next(third);
  Batch second = trial.samples(1, 3);
  second.ahead = &next;
  for (const Batch& batch : {second, third}) {
    const ShardStep step{.shard = static_cast<int>(batch.content), .step = 1, .weights = {weights.data(), 1}};
    bits.push_back(static_cast<float>(trial.network->gradient(step, batch, weights, again)));
    bits.insert(bits.end(), again.begin(), again.end());
  }
  for (float& weight : weights) weight *= 0.75F;
  bits.push_back(static_cast<float>(trial.network->evaluate({}, trial.samples(1, 3), weights).loss_sum));
  return bits;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) {
           return std::bit_cast<int>(x) == std::bit_cast<int>(y);
         });
}

void check_nothing_is_left() {
  cuda_double::check_canaries();
  CHECK(cuda_double::complaints() == std::vector<std::string>());
  CHECK(cuda_double::usage() == cuda_double::Usage{});
}

/// A custom layer without an implementation for accelerators.
class Homemade final : public CustomLayer {
 public:
  std::string kind() const override { return "homemade"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  void forward(const Forward& at) const override { std::ranges::copy(at.input, at.output.begin()); }
  void backward(const Backward& at) const override { std::ranges::copy(at.output_gradient, at.input_gradient.begin()); }
};

}  // namespace

TEST_CASE("CUDA: a custom layer without CUDA support is refused with advice") {
  cuda_double::reset({});
  try {
    const NetworkTrial trial({"own layer", {2, 3, 3}, {flatten(), std::make_shared<Homemade>(), linear(kClasses)}}, 2);
    FAIL("the network was accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    CHECK(error.message().find("there is no CUDA implementation of homemade, a custom layer") != std::string::npos);
    CHECK(error.message().find("takes_copies()") != std::string::npos);
  }
  check_nothing_is_left();
}

TEST_CASE("CUDA: all tested orders of the streams give bitwise identical results") {
  const auto check_orders = [](const Case& at, std::uint64_t orders) {
    for (const Precision precision : {Precision::f32, Precision::bf16}) {
      CAPTURE(at.name);
      cuda_double::reset({.seed = 0});
      const std::vector<float> expected = bits_of(at, precision);
      for (std::uint64_t seed = 1; seed <= orders / 2; ++seed) {
        CAPTURE(seed);
        cuda_double::reset({.seed = seed});
        CHECK(same(bits_of(at, precision), expected));
        check_nothing_is_left();
      }
    }
  };
  check_orders(residual(), troupe_test::kThreadSanitized ? 100 : 1000);
  check_orders(two_buckets(), troupe_test::kThreadSanitized ? 4 : 20);
  cuda_double::reset({});
}

TEST_CASE("CUDA: gradients equal the CPU's within 1e-5") {
  for (const Case& at : {cnn(), residual(), two_buckets()}) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 8);
    const auto cpu = make_cpu_network(trial.plan, losses::softmax_cross_entropy(), 8, Precision::f32, false);
    AlignedFloats weights(cpu->size()), gradient(cpu->size());
    cpu->copy_canonical(trial.parameters, weights);
    CHECK(cpu->gradient({}, trial.samples(), weights, gradient) == doctest::Approx(trial.loss).epsilon(1e-6));
    std::vector<float> expected(trial.parameters.size());
    cpu->to_canonical(gradient, 0, expected);
    const std::vector<float> found = trial.canonical(trial.gradient);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
    CHECK(worst <= 1e-5 * largest(expected));
  }
}

TEST_CASE("CUDA: products round their factors to TensorFloat-32 only if it is enabled") {
  const Case convolutions{
      "convolutions",
      {3, 6, 6},
      {conv2d(8, {.kernel = 3, .padding = 1}), relu(), conv2d(kClasses, {.kernel = 1}), global_average_pool()}};
  const Case products{"products", {12}, {linear(20), relu(), linear(kClasses)}};
  for (const Case& at : {convolutions, products, residual()}) {
    CAPTURE(at.name);
    cuda_double::reset({});
    const NetworkTrial exact(at, 8);
    const auto rounded = make_cuda_network(exact.plan, losses::softmax_cross_entropy(), 8,
                                           {.device = troupe::Device::cuda, .tf32 = true});
    CHECK(rounded->fingerprint().find("-tf32-") != std::string::npos);
    CHECK(rounded->precision() == Precision::f32);
    AlignedFloats gradient(exact.gradient.size());
    CHECK(rounded->gradient({}, exact.samples(), exact.weights, gradient) == doctest::Approx(exact.loss).epsilon(1e-2));
    float worst = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i)
      worst = std::max(worst, std::abs(gradient[i] - exact.gradient[i]));
    CHECK(worst > 1e-5F * largest(exact.gradient));
    CHECK(worst < 0.05F * largest(exact.gradient));
  }
}

TEST_CASE("CUDA: removing any event is detected") {
  for (const Case& at : {residual(), two_buckets()}) {
    CAPTURE(at.name);
    cuda_double::reset({});
    const std::vector<float> expected = bits_of(at, Precision::bf16);
    const std::int64_t waits = cuda_double::waits();
    CHECK(waits > 5);
    for (std::int64_t wait = 0; wait < waits; ++wait) {
      bool found = false;
      for (std::uint64_t seed = 1; seed <= 40 && !found; ++seed) {
        cuda_double::reset({.seed = seed});
        cuda_double::drop_wait(wait);
        try {
          found = !same(bits_of(at, Precision::bf16), expected);
        } catch (const Error&) {  // the double has refused a call with a complaint
        }
        found = found || !cuda_double::complaints().empty();
      }
      CAPTURE(wait);
      CHECK(found);
    }
  }
  cuda_double::reset({});
}

TEST_CASE("CUDA: after a failed evaluation, a step does not use stale samples") {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  /// Returns the gradient of a batch that is already on the device, after an evaluation of a larger batch.
  const auto gradient_after = [&](std::int64_t failing_call) -> std::optional<AlignedFloats> {
    cuda_double::reset({.failing_call = failing_call});
    const NetworkTrial trial(residual(), 2);
    Batch batch = trial.samples();
    batch.content = 1;
    AlignedFloats first(trial.gradient.size()), again(first.size());
    trial.network->gradient({}, batch, trial.weights, first);
    std::vector<float> more(70 * batch.values.size(), 0.5F);  // more than one pass of an evaluation
    const std::vector<std::int32_t> labels(140);
    begin = cuda_double::calls();
    try {
      trial.network->evaluate({}, {140, more, labels, {}}, trial.weights);
      end = cuda_double::calls();
    } catch (const Error&) {  // the injected failure
    }
    try {
      trial.network->gradient({}, batch, trial.weights, again);
    } catch (const Error&) {  // the device is lost
      return std::nullopt;
    }
    CHECK(again == first);
    return again;
  };
  REQUIRE(gradient_after(-1));
  const std::int64_t last = end;
  int tried = 0;
  for (std::int64_t call = begin; call < last; ++call) tried += gradient_after(call) ? 1 : 0;
  CHECK(tried > 0);
  cuda_double::reset({});
}

TEST_CASE("CUDA: if any call fails, there is a typed error and all resources are released") {
  for (const Case& at : {cnn(), residual()}) {
    CAPTURE(at.name);
    cuda_double::reset({});
    const std::vector<float> expected = bits_of(at, Precision::bf16);
    const std::int64_t calls = cuda_double::calls();
    REQUIRE(calls > 100);
    std::set<cuda_double::Failed> failed;
    for (std::int64_t call = 0; call < calls; call += troupe_test::kThreadSanitized ? 11 : 1) {
      CAPTURE(call);
      cuda_double::reset({.failing_call = call});
      try {
        const std::vector<float> bits = bits_of(at, Precision::bf16);  // failures of releasing calls may stay unnoticed
        CHECK(same(bits, expected));
      } catch (const Error& error) {
        failed.insert(cuda_double::failed());
        const bool memory = cuda_double::failed() == cuda_double::Failed::memory;
        CHECK_MESSAGE(error.code() == (memory ? ErrorCode::limit_reached : ErrorCode::system), error.message());
        const std::string library = error.message().substr(0, error.message().find(','));
        CHECK_MESSAGE((library == "CUDA" || library == "cuDNN" || library == "cuBLAS"), error.message());
      }
      CHECK(cuda_double::usage() == cuda_double::Usage{});
    }
    CHECK(failed == std::set{cuda_double::Failed::memory, cuda_double::Failed::device});
  }
  cuda_double::reset({});
}

TEST_CASE("CUDA: the error names the missing driver or device") {
  const auto refusal = [](const cuda_double::Settings& settings, const ReplicaContext& context) {
    cuda_double::reset(settings);
    std::string said;
    try {
      make_cuda_network(plan_network(cnn().graph, cnn().shape, kClasses), losses::softmax_cross_entropy(), 4, context);
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::unsupported);
      said = error.message();
    }
    cuda_double::reset({});
    return said;
  };
  CHECK(refusal({.no_driver = true}, {}) == "there is no NVIDIA driver on this machine");
  CHECK(refusal({.old_driver = true}, {}).find("but this build needs CUDA 13.0") != std::string::npos);
  CHECK(refusal({.devices = 0}, {}) == "there is no CUDA device on this machine");
  CHECK(refusal({.devices = 2}, {.device_number = 2}) ==
        "there is no CUDA device 2 on this machine, which has 2 (numbered from 0)");
  CHECK(refusal({.devices = 2}, {.device_number = 1}).empty());
}

TEST_CASE("CUDA: a library that cannot start reports a limit if the memory is full") {
  for (const std::size_t megabytes : {40, 400}) {
    cuda_double::reset({.bytes_per_device = megabytes << 20, .libraries_begin = false});
    try {
      const NetworkTrial trial(cnn(), 4);
      FAIL("cuDNN began");
    } catch (const Error& error) {
      CHECK(error.code() == (megabytes == 40 ? ErrorCode::limit_reached : ErrorCode::system));
      CHECK(error.message() == "cuDNN, initializing: CUDNN_STATUS_NOT_INITIALIZED");
    }
    check_nothing_is_left();
  }
  cuda_double::reset({});
}

TEST_CASE("CUDA: a device with full memory reports an error, and a network that fits still works") {
  cuda_double::reset({.bytes_per_device = std::size_t{40} << 20});
  {
    const NetworkTrial small(cnn(), 4);
    try {
      const NetworkTrial large(
          {"large", {3, 64, 64}, {conv2d(64, {.kernel = 3, .padding = 1}), relu(), flatten(), linear(kClasses)}}, 8);
      FAIL("the network was accepted");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::limit_reached);
      CHECK(error.message().find("CUDA, allocating memory: the device cannot provide ") == 0);
    }
    AlignedFloats again(small.gradient.size());
    small.network->gradient({}, small.samples(), small.weights, again);
    CHECK(again == small.gradient);
  }
  check_nothing_is_left();
  cuda_double::reset({});
}
