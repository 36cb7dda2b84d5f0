#include "troupe/layers/dropout.hpp"

#include <cstring>

#include "models/cpu/layer_kernels.hpp"
#include "runtime/random.hpp"

namespace troupe::cpu {

namespace {

/// Apart from the numbers that are drawn for other ends.
constexpr std::uint64_t kDropoutStream = 0x64726F70ULL << 32;
constexpr std::uint64_t kMostLayers = std::uint64_t{1} << 20;

/// What is drawn for a batch, one number a value, in the order in which they lie.
Random random_of(const BatchContext& at) {
  return Random(at.seed, kDropoutStream + static_cast<std::uint64_t>(at.shard),
                static_cast<std::uint64_t>(at.step) * kMostLayers + static_cast<std::uint64_t>(at.layer));
}

template <class T>
void drop(Random random, float probability, std::int64_t count, const T* from, T* to) {
  const float scale = 1 / (1 - probability);
  for (std::int64_t i = 0; i < count; ++i)
    store(random.uniform() < probability ? 0.0F : to_float(from[i]) * scale, to[i]);
}

/// Draws again going backward what it drew going forward, so that it need not remember it.
class Dropout final : public Operation {
 public:
  Dropout(const PlacedLayer& layer, std::int64_t batch)
      : layout_(layer.output),
        batch_(batch),
        probability_(static_cast<float>(spec_of<models::Dropout>(layer).probability())) {}

  Traits traits() const override { return {.input_gradient_in_place = true}; }

  void forward(const ForwardOperands& at) override {
    if (at.context.training) return apply(at.context, at.input, at.output);
    std::memcpy(at.output, at.input, layout_.bytes(batch_));
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient != nullptr) apply(at.context, at.output_gradient, at.input_gradient);
  }

 private:
  void apply(const BatchContext& context, const void* from, void* to) const {
    const std::int64_t count = batch_ * layout_.size();
    const Random random = random_of(context);
    if (layout_.element == Element::f32)
      return drop(random, probability_, count, static_cast<const float*>(from), static_cast<float*>(to));
    drop(random, probability_, count, static_cast<const Bfloat16*>(from), static_cast<Bfloat16*>(to));
  }

  Layout layout_;
  std::int64_t batch_;
  float probability_;
};

class DropoutKernels final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<Dropout>(layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Dropout::on_cpu() const { return std::make_unique<cpu::DropoutKernels>(); }

}  // namespace troupe::models
