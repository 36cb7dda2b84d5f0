#pragma once

#include <memory>

#include "models/cuda/operation.hpp"

// Declares the CUDA implementations of all kinds of layers. Each kind of layer has a file of its own.
namespace troupe::cuda {

/// The implementation of a kind of layer whose tensors, if it has any, are stored row-major, one after the other.
/// `LayerOperation` is the class of the operation that it creates.
template <class LayerOperation>
class KernelsOf final : public LayerKernels {
 public:
  void place(PlacedLayer& layer) const override { layer.parameters.set_parts(layer.planned.tensor_sizes); }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<LayerOperation>(context, layer, batch);
  }
};

// These functions create operations that compute a convolution as a matrix product. `pointwise` supports a 1x1 kernel
// with stride 1. `unfolded` supports other convolutions; it returns null if cuDNN is faster.
std::unique_ptr<Operation> pointwise(Context& context, const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> unfolded(Context& context, const PlacedLayer& layer, std::int64_t batch);

std::unique_ptr<LayerKernels> add_kernels();
std::unique_ptr<LayerKernels> attention_kernels();
std::unique_ptr<LayerKernels> average_pool_kernels();
std::unique_ptr<LayerKernels> batch_norm_kernels();
std::unique_ptr<LayerKernels> convolution_kernels();
std::unique_ptr<LayerKernels> custom_kernels();
std::unique_ptr<LayerKernels> dropout_kernels();
std::unique_ptr<LayerKernels> embedding_kernels();
std::unique_ptr<LayerKernels> gelu_kernels();
std::unique_ptr<LayerKernels> global_average_pool_kernels();
std::unique_ptr<LayerKernels> linear_kernels();
std::unique_ptr<LayerKernels> max_pool_kernels();
std::unique_ptr<LayerKernels> position_norm_kernels();
std::unique_ptr<LayerKernels> positions_kernels();
std::unique_ptr<LayerKernels> relu_kernels();
std::unique_ptr<LayerKernels> sigmoid_kernels();
std::unique_ptr<LayerKernels> swiglu_kernels();
std::unique_ptr<LayerKernels> tanh_kernels();

}  // namespace troupe::cuda
