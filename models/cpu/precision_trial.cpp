#include "models/cpu/precision_trial.hpp"

#include <time.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "models/aligned.hpp"
#include "models/cpu/placed_network.hpp"
#include "runtime/clock.hpp"
#include "troupe/layers/convolution.hpp"

namespace troupe::cpu {
namespace {

/// The number of convolution shapes that are measured: those with the most arithmetic operations. In ResNet-101, four
/// shapes have two thirds of all operations.
constexpr std::size_t kMostShapes = 4;
constexpr std::chrono::milliseconds kTimeout{200};
/// The measured time is the median of this many runs. There are fewer runs if kTimeout has passed before.
constexpr std::size_t kRuns = 7;
/// Maximum number of arithmetic operations in one measured forward pass. If a pass has more, it is measured with fewer
/// samples or a smaller image, because a longer measurement is not more precise.
constexpr double kMostFlops = 1e8;

/// Returns the processor time of this thread in seconds. Unlike wall-clock time, it does not include time in which
/// other threads used the core.
double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// All convolutions of a network that have the same shape.
struct Shape {
  PlannedLayer layer;
  bool gradient_stops = false;  ///< see PlacedLayer
  double flops = 0;             ///< forward operations per sample, of all convolutions of this shape

  const models::Convolution& convolution() const { return static_cast<const models::Convolution&>(*layer.layer); }
  bool is_like(const Shape& other) const {
    const models::Window& mine = convolution().window();
    const models::Window& theirs = other.convolution().window();
    return layer.input == other.layer.input && layer.output == other.layer.output && mine.kernel == theirs.kernel &&
           mine.stride == theirs.stride && mine.padding == theirs.padding && gradient_stops == other.gradient_stops;
  }
};

double flops_of(const PlannedLayer& layer) { return layer.layer->flops(layer.input, layer.output); }

/// Returns the kMostShapes convolution shapes of the network with the most operations, in descending order.
std::vector<Shape> shapes_of(const NetworkPlan& plan) {
  const std::vector<bool> learns = learning_values(plan);
  std::vector<Shape> shapes;
  for (const PlannedLayer& layer : plan.layers) {
    if (dynamic_cast<const models::Convolution*>(layer.layer.get()) == nullptr) continue;
    const Shape one{layer, !learns[static_cast<std::size_t>(layer.inputs.front())], flops_of(layer)};
    const auto like = std::ranges::find_if(shapes, [&](const Shape& shape) { return shape.is_like(one); });
    if (like == shapes.end())
      shapes.push_back(one);
    else
      like->flops += one.flops;
  }
  std::ranges::stable_sort(shapes, std::ranges::greater(), &Shape::flops);
  shapes.resize(std::min(shapes.size(), kMostShapes));
  return shapes;
}

/// Returns the layer, but with a smaller image if one sample needs more than kMostFlops operations. Height and width of
/// the image stay at least `least_pixels`.
PlannedLayer of_fewer_pixels(PlannedLayer layer, std::int64_t least_pixels) {
  while (flops_of(layer) > kMostFlops && std::min(layer.input.height, layer.input.width) / 2 >= least_pixels) {
    layer.input.height /= 2;
    layer.input.width /= 2;
    layer.output = layer.layer->output({&layer.input, 1});
  }
  return layer;
}

/// A convolution in one number format, with memory for its operands.
class Trial {
 public:
  Trial(const PlannedLayer& layer, bool gradient_stops, std::int64_t batch, Element element)
      : network_(place_network(context_, alone(layer), batch, element)) {
    PlacedLayer& placed = network_.layers.front();
    placed.gradient_stops = gradient_stops;
    operation_ = placed.kernels->make(context_, placed, batch);
    operation_->prepare_backward();
    weights_ = ones(network_.parameters.size() * sizeof(float));
    gradient_ = weights_;
    input_ = ones(placed.input.bytes(batch));
    output_ = ones(placed.output.bytes(batch));
    output_gradient_ = output_;
    if (!gradient_stops) input_gradient_ = input_;
    scratch_ = ones(context_.bytes());
    context_.place(reinterpret_cast<std::byte*>(scratch_.data()));
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Runs one forward and one backward pass, and returns the processor time of both in seconds.
  double run() {
    const double begin = thread_seconds();
    operation_->forward(
        {.context = {.training = true}, .input = input_.data(), .output = output_.data(), .weights = weights_.data()});
    operation_->backward({.context = {.training = true},
                          .input = input_.data(),
                          .output = output_.data(),
                          .output_gradient = output_gradient_.data(),
                          .input_gradient = input_gradient_.empty() ? nullptr : input_gradient_.data(),
                          .weights = weights_.data(),
                          .gradient = gradient_.data()});
    return thread_seconds() - begin;
  }

 private:
  static NetworkPlan alone(PlannedLayer layer) {
    layer.inputs = {0};
    layer.weights = 0;
    NetworkPlan plan;
    plan.input = layer.input;
    plan.num_outputs = layer.output.size();
    plan.layers = {std::move(layer)};
    return plan;
  }
  /// Returns memory of `bytes` bytes whose values are close to 1, whether they are read as floats or as bfloat16. The
  /// values must not be denormal numbers, because these would make a kernel slower.
  static AlignedFloats ones(std::size_t bytes) {
    return AlignedFloats((bytes + sizeof(float) - 1) / sizeof(float), std::bit_cast<float>(0x3F803F80U));
  }

  Context context_;
  PlacedNetwork network_;
  std::unique_ptr<Operation> operation_;
  AlignedFloats weights_, gradient_, input_, output_, output_gradient_, input_gradient_, scratch_;
};

/// Returns the times that all convolutions of a shape take together, for one sample. Measures f32 and bf16 alternately,
/// so that other activity on the machine affects both equally.
PrecisionSeconds measure(const Shape& shape, std::int64_t batch, const Deadline& deadline) {
  const PlannedLayer layer = of_fewer_pixels(shape.layer, 4 * shape.convolution().window().kernel);
  const auto enough = static_cast<std::int64_t>(kMostFlops / flops_of(layer));
  const std::int64_t samples = std::clamp<std::int64_t>(enough, 1, batch);
  Trial exact(layer, shape.gradient_stops, samples, Element::f32);
  Trial mixed(layer, shape.gradient_stops, samples, Element::bf16);
  exact.run();
  mixed.run();
  std::vector<double> f32;
  std::vector<double> bf16;
  do {
    f32.push_back(exact.run());
    bf16.push_back(mixed.run());
  } while (f32.size() < kRuns && !deadline.passed());
  const double runs = shape.flops / (flops_of(layer) * static_cast<double>(samples));
  return {runs * median(f32), runs * median(bf16)};
}

PrecisionSeconds measure(const std::vector<Shape>& shapes, std::int64_t batch) {
  const Deadline end(kTimeout);
  PrecisionSeconds sum;
  std::chrono::duration<double> longest{0};
  for (std::size_t i = 0; i < shapes.size() && end.left() >= longest / 2; ++i) {
    const Stopwatch watch;
    const Deadline share(end.left() / static_cast<std::int64_t>(shapes.size() - i));
    const PrecisionSeconds seconds = measure(shapes[i], batch, share);
    sum = {sum.f32 + seconds.f32, sum.bf16 + seconds.bf16};
    longest = std::max(longest, std::chrono::duration<double>(watch.seconds()));
  }
  return sum;
}

/// A measurement: the measured shapes, the batch size, and the result.
struct Comparison {
  std::vector<Shape> shapes;
  std::int64_t batch = 0;
  PrecisionSeconds seconds;

  bool is_of(const std::vector<Shape>& others, std::int64_t their_batch) const {
    const auto alike = [](const Shape& shape, const Shape& other) { return shape.is_like(other); };
    return batch == their_batch && std::ranges::equal(shapes, others, alike);
  }
};

}  // namespace

PrecisionSeconds compare_precisions(const NetworkPlan& plan, std::int64_t batch) {
  static std::mutex one_at_a_time;
  static std::vector<Comparison> made;
  const std::lock_guard lock(one_at_a_time);
  const std::vector<Shape> shapes = shapes_of(plan);
  const auto known = std::ranges::find_if(made, [&](const Comparison& each) { return each.is_of(shapes, batch); });
  if (known != made.end()) return known->seconds;
  made.push_back({shapes, batch, measure(shapes, batch)});
  return made.back().seconds;
}

}  // namespace troupe::cpu
