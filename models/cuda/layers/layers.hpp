#pragma once

#include <memory>

#include "models/cuda/operation.hpp"

// How CUDA devices compute each kind of layer; a file for each.
namespace troupe::cuda {

/// Of a kind without parameters, whose operation can be made of what is placed.
template <class LayerOperation>
class KernelsOf final : public LayerKernels {
 public:
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<LayerOperation>(context, layer, batch);
  }
};

// Convolutions that are better computed as products of matrices: of one pixel at a time, with a stride of 1; and of
// others, or null where cuDNN is to compute it.
std::unique_ptr<Operation> pointwise(Context& context, const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> unfolded(Context& context, const PlacedLayer& layer, std::int64_t batch);

std::unique_ptr<LayerKernels> add_kernels();
std::unique_ptr<LayerKernels> average_pool_kernels();
std::unique_ptr<LayerKernels> batch_norm_kernels();
std::unique_ptr<LayerKernels> convolution_kernels();
std::unique_ptr<LayerKernels> custom_kernels();
std::unique_ptr<LayerKernels> dropout_kernels();
std::unique_ptr<LayerKernels> gelu_kernels();
std::unique_ptr<LayerKernels> global_average_pool_kernels();
std::unique_ptr<LayerKernels> linear_kernels();
std::unique_ptr<LayerKernels> max_pool_kernels();
std::unique_ptr<LayerKernels> relu_kernels();
std::unique_ptr<LayerKernels> sigmoid_kernels();
std::unique_ptr<LayerKernels> tanh_kernels();

}  // namespace troupe::cuda
