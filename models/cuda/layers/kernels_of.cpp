#include <typeindex>
#include <unordered_map>

#include "models/cuda/layers/layers.hpp"
#include "troupe/error.hpp"
#include "troupe/layers.hpp"

namespace troupe::cuda {

namespace {

using Make = std::unique_ptr<LayerKernels> (*)();

template <class Spec>
std::pair<const std::type_index, Make> entry(Make make) {
  return {typeid(Spec), make};
}

/// Returns a map from the class of each layer to the function that creates its CUDA implementation. The map does not
/// contain Flatten, because plans do not contain flatten layers.
const std::unordered_map<std::type_index, Make>& known_layers() {
  static const std::unordered_map<std::type_index, Make> layers{
      entry<models::Add>(add_kernels),
      entry<models::Attention>(attention_kernels),
      entry<models::AveragePool>(average_pool_kernels),
      entry<models::BatchNorm>(batch_norm_kernels),
      entry<models::Convolution>(convolution_kernels),
      entry<models::Dropout>(dropout_kernels),
      entry<models::Embedding>(embedding_kernels),
      entry<models::Gelu>(gelu_kernels),
      entry<models::GlobalAveragePool>(global_average_pool_kernels),
      entry<models::Linear>(linear_kernels),
      entry<models::MaxPool>(max_pool_kernels),
      entry<models::PositionNorm>(position_norm_kernels),
      entry<models::Positions>(positions_kernels),
      entry<models::Relu>(relu_kernels),
      entry<models::Sigmoid>(sigmoid_kernels),
      entry<models::Swiglu>(swiglu_kernels),
      entry<models::Tanh>(tanh_kernels),
  };
  return layers;
}

}  // namespace

std::unique_ptr<LayerKernels> kernels_of(const PlannedLayer& layer) {
  const models::LayerSpec& spec = *layer.layer;
  if (const auto found = known_layers().find(typeid(spec)); found != known_layers().end()) return found->second();
  const auto* const custom = dynamic_cast<const models::CustomLayer*>(&spec);
  if (custom != nullptr && custom->takes_copies()) return custom_kernels();
  throw Error(ErrorCode::unsupported,
              "there is no CUDA implementation of " + spec.kind() +
                  ", a custom layer: set device to cpu, or override takes_copies() so that the CPU computes it");
}

}  // namespace troupe::cuda
