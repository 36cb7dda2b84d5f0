#pragma once

#include <c10/core/Storage.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/torch/module_tensors.hpp"

namespace troupe {

/// The tensors of a module (ModuleTensors) as parts of flat vectors: the learned parameters, and then, as statistics,
/// the other parameters and buffers.
///
/// The parameters share one storage, whose pointer `use_weights` sets to the weights of a step. So weights are not
/// copied. A gradient is copied once, from the tensor that autograd makes to the flat gradient.
class FlatTensors {
 public:
  /// @param keeps see ReplicaContext::keeps
  /// @throws Error unsupported if no parameter requires a gradient
  FlatTensors(const ModuleTensors& tensors, const std::function<bool(const std::string& tensor)>& keeps);
  FlatTensors(const FlatTensors&) = delete;
  FlatTensors& operator=(const FlatTensors&) = delete;

  std::size_t size() const { return size_; }
  std::size_t learned_size() const { return learned_size_; }

  /// Makes the parameters views of `weights`, a flat vector, and copies the buffers from it into the module. The
  /// first call frees the memory of the parameters.
  void use_weights(std::span<const float> weights);
  /// Makes the next backward pass write the gradients of parameters to `gradient`, a flat vector. If a pass computes
  /// the gradient of a parameter several times, the gradients are added. Until `complete_gradient`.
  void use_gradient(std::span<float> gradient);
  /// Completes a flat gradient after a backward pass: writes zeros for parameters on which the loss does not depend and
  /// for padding, and `samples` times the change of each statistic.
  /// @param weights the weights of the pass
  /// @return the number of bytes of gradients that were copied
  std::int64_t complete_gradient(std::span<const float> weights, std::span<float> gradient, std::int64_t samples);

  void to_canonical(std::span<const float> weights, std::span<float> canonical) const;
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const;

 private:
  struct Part {
    at::Tensor tensor;         ///< the module's
    at::Tensor gradient = {};  ///< a view of the flat gradient
    std::size_t offset = 0;
    std::size_t size = 0;
    bool written = false;  ///< the present backward pass has written the gradient
  };
  /// A function that autograd calls as soon as the gradient of a parameter is complete.
  struct TakeGradient;

  std::span<Part> learned() { return std::span(parts_).first(num_learned_); }
  std::span<Part> parameters() { return std::span(parts_).first(num_parameters_); }
  std::span<Part> buffers() { return std::span(parts_).subspan(num_parameters_); }
  c10::Storage make_storage() const;

  std::vector<Part> parts_;
  std::size_t num_learned_ = 0;
  std::size_t num_parameters_ = 0;
  std::size_t size_ = 0;
  std::size_t learned_size_ = 0;
  std::optional<c10::Storage> weights_;
  std::optional<c10::Storage> gradient_;
  bool in_pass_ = false;  ///< between `use_gradient` and `complete_gradient`
  /// Autograd's nodes with our functions; the type of their pointers differs between versions of libtorch.
  std::vector<decltype(torch::autograd::impl::grad_accumulator(std::declval<const at::Tensor&>()))> accumulators_;
};

}  // namespace troupe
