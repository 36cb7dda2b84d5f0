#include "troupe/layers/global_average_pool.hpp"

#include "models/cpu/layer_kernels.hpp"
#include "runtime/simd.hpp"

namespace troupe::cpu {

namespace {

/// The shape of the input: `count` blocks of `inner` channels, each with `pixels` pixels.
struct Blocks {
  std::int64_t count;
  std::int64_t pixels;
  std::int64_t inner;
};

template <class T>
[[gnu::always_inline]] inline void average(const Blocks& blocks, const T* __restrict input, float* __restrict output) {
  for (std::int64_t block = 0; block < blocks.count; ++block, output += blocks.inner) {
    for (std::int64_t i = 0; i < blocks.inner; ++i) output[i] = 0;
    for (std::int64_t pixel = 0; pixel < blocks.pixels; ++pixel, input += blocks.inner)
      for (std::int64_t i = 0; i < blocks.inner; ++i) output[i] += to_float(input[i]);
    for (std::int64_t i = 0; i < blocks.inner; ++i) output[i] /= static_cast<float>(blocks.pixels);
  }
}

template <class T>
[[gnu::always_inline]] inline void spread(const Blocks& blocks, const float* __restrict output_gradient,
                                          T* __restrict input_gradient) {
  const auto pixels = static_cast<float>(blocks.pixels);
  for (std::int64_t block = 0; block < blocks.count; ++block, output_gradient += blocks.inner)
    for (std::int64_t pixel = 0; pixel < blocks.pixels; ++pixel, input_gradient += blocks.inner)
      for (std::int64_t i = 0; i < blocks.inner; ++i) store(output_gradient[i] / pixels, input_gradient[i]);
}

TROUPE_CLONES void average_f32(const Blocks& blocks, const float* input, float* output) {
  average(blocks, input, output);
}
TROUPE_CLONES void average_bf16(const Blocks& blocks, const Bfloat16* input, float* output) {
  average(blocks, input, output);
}
TROUPE_CLONES void spread_f32(const Blocks& blocks, const float* gradient, float* input_gradient) {
  spread(blocks, gradient, input_gradient);
}
TROUPE_CLONES void spread_bf16(const Blocks& blocks, const float* gradient, Bfloat16* input_gradient) {
  spread(blocks, gradient, input_gradient);
}

class GlobalAveragePool final : public Operation {
 public:
  GlobalAveragePool(const Layout& input, std::int64_t batch)
      : blocks_{batch * input.channels / input.inner, input.pixels(), input.inner}, element_(input.element) {}

  StageTraits traits() const override { return {}; }

  void forward(const ForwardOperands& at) override {
    auto* const output = static_cast<float*>(at.output);
    if (element_ == Element::f32) return average_f32(blocks_, static_cast<const float*>(at.input), output);
    average_bf16(blocks_, static_cast<const Bfloat16*>(at.input), output);
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    const auto* const gradient = static_cast<const float*>(at.output_gradient);
    if (element_ == Element::f32) return spread_f32(blocks_, gradient, static_cast<float*>(at.input_gradient));
    spread_bf16(blocks_, gradient, static_cast<Bfloat16*>(at.input_gradient));
  }

 private:
  Blocks blocks_;
  Element element_;
};

class GlobalAveragePoolKernels final : public LayerKernels {
 public:
  void place(Context& /*context*/, PlacedLayer& layer, std::int64_t /*batch*/) const override {
    layer.output = {.channels = layer.input.channels};
  }
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<GlobalAveragePool>(layer.input, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> GlobalAveragePool::on_cpu() const {
  return std::make_unique<cpu::GlobalAveragePoolKernels>();
}

}  // namespace troupe::models
