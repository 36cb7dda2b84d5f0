#include <algorithm>

#include "models/cuda/kernels/unfold.hpp"
#include "models/cuda/layers/convolution_ends.hpp"
#include "models/cuda/layers/layers.hpp"
#include "models/cuda/layers/small_matrix.hpp"
#include "models/cuda/products.hpp"

namespace troupe::cuda {

namespace {

/// Maximum size in bytes of the matrix of windows. If the matrix of all samples would be larger, the samples are
/// processed in several parts, each with a matrix of its own.
constexpr std::size_t kMatrixBytes = std::size_t{128} << 20;
/// The number of input channels that a tensor core loads at once. With fewer channels, cuDNN is slow.
constexpr std::int64_t kManyChannels = 8;

Unfolding unfolding_of(const PlacedLayer& layer) {
  return {.input = layer.input.shape,
          .output = layer.output.shape,
          .window = spec_of<models::Convolution>(layer).window(),
          .element = layer.output.element};
}

/// Returns the bytes of the matrix rows of one sample.
std::size_t matrix_bytes(const Unfolding& unfolding, Element element) {
  return static_cast<std::size_t>(unfolding.rows_of_sample() * unfolding.columns()) * size_of(element);
}

/// Returns the larger one of the element types that the matrix has in the forward and backward pass. If there is an
/// input gradient, this type is float, because the matrix of the input gradient contains floats.
Element widest(const PlacedLayer& layer) { return layer.gradient_stops ? layer.output.element : Element::f32; }

/// Computes a convolution as a matrix product of its windows (see unfold.hpp) and its weights.
class Unfolded final : public ConvolutionEnds {
 public:
  Unfolded(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : ConvolutionEnds(context, layer, batch),
        unfolding_(unfolding_of(layer)),
        batch_(batch),
        samples_at_once_(std::clamp<std::int64_t>(
            static_cast<std::int64_t>(kMatrixBytes / matrix_bytes(unfolding_, widest(layer))), 1, batch)) {
    context.need_workspace(padded_bytes(element()) + part_bytes(element()));
  }

  void prepare_backward() override {
    if (learns()) context_.need_workspace(padded_bytes(Element::f32) + part_bytes(element()));
    need_bias_workspace();
    if (!layer_.gradient_stops) context_.need_workspace(padded_bytes(element()) + part_bytes(Element::f32));
  }

  void forward(const ForwardOperands& at) override {
    const void* const weights = padded_weights(at.product_weights);
    std::byte* const matrix = context_.workspace() + padded_bytes(element());
    for_each_part([&](const Part& part) {
      unfold(stream(), unfolding_, part.samples, part.of(at.input, layer_.input), matrix);
      multiply(context_, {weights, columns(), true}, {matrix, columns()}, {outputs(), part.rows, columns()},
               part.of(at.output, layer_.output), element());
    });
    end_forward(at);
  }

  void backward(const BackwardOperands& at) override {
    begin_backward(at);
    if (learns()) weights_gradient(at);
    if (at.input_gradient != nullptr) input_gradient(at);
  }

 private:
  /// A part of the batch: `samples` samples from sample `first` on. Their windows are `rows` rows of the matrix.
  struct Part {
    std::int64_t first;
    std::int64_t samples;
    std::int64_t rows;

    const void* of(const void* all, const Layout& layout) const {
      return static_cast<const std::byte*>(all) + layout.bytes(first);
    }
    void* of(void* all, const Layout& layout) const { return static_cast<std::byte*>(all) + layout.bytes(first); }
  };

  template <class Work>
  void for_each_part(const Work& work) const {
    for (std::int64_t first = 0; first < batch_; first += samples_at_once_) {
      const std::int64_t samples = std::min(samples_at_once_, batch_ - first);
      work(Part{first, samples, samples * output_pixels()});
    }
  }

  void weights_gradient(const BackwardOperands& at) const {
    const bool padded = padded_bytes(Element::f32) > 0;
    float* const gradient = padded ? reinterpret_cast<float*>(context_.workspace()) : at.gradient;
    std::byte* const matrix = context_.workspace() + padded_bytes(Element::f32);
    for_each_part([&](const Part& part) {
      unfold(stream(), unfolding_, part.samples, part.of(at.input, layer_.input), matrix);
      multiply(context_, {matrix, columns()}, {part.of(at.output_gradient, layer_.output), outputs(), true},
               {columns(), outputs(), part.rows}, gradient, Element::f32, {.adds = part.first > 0});
    });
    if (padded) copy_rows(stream(), Element::f32, outputs(), columns(), gradient, unfolding_.values(), at.gradient);
  }

  void input_gradient(const BackwardOperands& at) const {
    const void* const weights = padded_weights(at.product_weights);
    auto* const matrix = reinterpret_cast<float*>(context_.workspace() + padded_bytes(element()));
    for_each_part([&](const Part& part) {
      multiply(context_, {weights, columns()}, {part.of(at.output_gradient, layer_.output), outputs()},
               {columns(), part.rows, outputs()}, matrix, Element::f32);
      fold(stream(), unfolding_, part.samples, matrix, part.of(at.input_gradient, layer_.input));
    });
  }

  /// Returns the address of the weights in rows as long as those of the matrix. This is `weights`, or the start of the
  /// workspace, to which the weights are then copied with zeros appended to each row.
  const void* padded_weights(const void* weights) const {
    if (padded_bytes(element()) == 0) return weights;
    copy_rows(stream(), element(), outputs(), unfolding_.values(), weights, columns(), context_.workspace());
    return context_.workspace();
  }
  std::size_t padded_bytes(Element of) const {
    if (unfolding_.values() == columns()) return 0;
    return aligned(static_cast<std::size_t>(outputs() * columns()) * size_of(of));
  }
  std::size_t part_bytes(Element of) const {
    return static_cast<std::size_t>(samples_at_once_) * matrix_bytes(unfolding_, of);
  }

  std::int64_t output_pixels() const { return layer_.output.pixels(); }
  std::int64_t columns() const { return unfolding_.columns(); }

  Unfolding unfolding_;
  std::int64_t batch_;
  std::int64_t samples_at_once_;
};

}  // namespace

std::unique_ptr<Operation> unfolded(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  const Unfolding unfolding = unfolding_of(layer);
  const std::size_t each = matrix_bytes(unfolding, unfolding.element);
  const bool is_small = static_cast<std::size_t>(batch) * each <= small_matrix();
  const bool has_few_channels =
      unfolding.input.channels < kManyChannels && matrix_bytes(unfolding, widest(layer)) <= kMatrixBytes;
  if (!is_small && !has_few_channels) return nullptr;
  return std::make_unique<Unfolded>(context, layer, batch);
}

}  // namespace troupe::cuda
