#include "troupe/layers/custom_layer.hpp"

#include <algorithm>

#include "models/cuda/kernels/packing.hpp"
#include "models/cuda/layers/layers.hpp"

namespace troupe::cuda {

namespace {

constexpr const char* kCopying = "copying a layer's values";

/// Runs a CustomLayer on the CPU. Copies its operands to the host, in row-major order, and its results back to the
/// device. The device waits during the computation on the CPU.
class Custom final : public Operation {
 public:
  Custom(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        layer_(layer),
        batch_(batch),
        input_(layer.input.values(batch)),
        output_(layer.output.values(batch)),
        tensors_(static_cast<std::size_t>(layer.parameters.channels)),
        input_gradient_(input_.size()),
        output_gradient_(output_.size()),
        tensors_gradient_(tensors_.size()) {
    context.need_workspace(std::max(input_.size(), output_.size()) * sizeof(float));
  }

  StageTraits traits() const override { return {.reads_input = true, .reads_output = true}; }

  void forward(const ForwardOperands& at) override {
    receive(at.input, layer_.input, input_);
    receive_tensors(at.weights);
    context_.compute().synchronize();
    spec().forward({.context = at.context,
                    .samples = batch_,
                    .input = all(input_),
                    .tensors = all(tensors_),
                    .output = all(output_)});
    send(output_, layer_.output, at.output);
  }

  void backward(const BackwardOperands& at) override {
    receive(at.input, layer_.input, input_);
    receive(at.output, layer_.output, output_);
    receive(at.output_gradient, layer_.output, output_gradient_);
    receive_tensors(at.weights);
    context_.compute().synchronize();
    const bool goes_on = at.input_gradient != nullptr;
    spec().backward({.context = at.context,
                     .samples = batch_,
                     .input = all(input_),
                     .output = all(output_),
                     .output_gradient = all(output_gradient_),
                     .tensors = all(tensors_),
                     .input_gradient = goes_on ? all(input_gradient_) : std::span<float>(),
                     .tensors_gradient = all(tensors_gradient_)});
    if (goes_on) send(input_gradient_, layer_.input, at.input_gradient);
    copy_to_device(at.gradient, tensors_gradient_);
  }

 private:
  const models::CustomLayer& spec() const { return spec_of<models::CustomLayer>(layer_); }
  static std::span<float> all(const PinnedFloats& floats) { return {floats.data(), floats.size()}; }
  cudaStream_t stream() const { return context_.compute().get(); }
  float* workspace() const { return reinterpret_cast<float*>(context_.workspace()); }

  void copy_to_device(float* to, const PinnedFloats& from) const {
    context_.copy_to_device(context_.compute(), to, from.data(), from.size(), kCopying);
  }
  void copy_to_host(const PinnedFloats& to, const float* from) const {
    context_.copy_to_host(context_.compute(), to.data(), from, to.size(), kCopying);
  }
  void receive(const void* values, const Layout& layout, const PinnedFloats& to) const {
    to_plain(stream(), layout.shape, batch_, layout.element, values, workspace());
    copy_to_host(to, workspace());
  }
  void receive_tensors(const float* weights) const { copy_to_host(tensors_, weights); }
  /// Enqueues a copy of `from` to the device, and the conversion of the copied floats to `layout`. The caller must not
  /// change `from` before the stream has been synchronized.
  void send(const PinnedFloats& from, const Layout& layout, void* values) const {
    copy_to_device(workspace(), from);
    from_plain(stream(), layout.shape, batch_, workspace(), layout.element, values);
  }

  Context& context_;
  const PlacedLayer& layer_;
  std::int64_t batch_;
  PinnedFloats input_;
  PinnedFloats output_;
  PinnedFloats tensors_;
  PinnedFloats input_gradient_;
  PinnedFloats output_gradient_;
  PinnedFloats tensors_gradient_;
};

}  // namespace

std::unique_ptr<LayerKernels> custom_kernels() { return std::make_unique<KernelsOf<Custom>>(); }

}  // namespace troupe::cuda
