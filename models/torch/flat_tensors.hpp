#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/torch/module_tensors.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The tensors of a module (ModuleTensors) as parts of flat vectors: the learned parameters, and then, as statistics,
/// the other parameters and buffers.
///
/// The parameters share one storage. On the CPU, `use_weights` sets its pointer to the weights of a step, so weights
/// are not copied. A gradient is copied once, from the tensor that autograd makes to the flat gradient. On an
/// accelerator, weights and gradient also have flat vectors in the memory of the device, which are copied from and to
/// the host as a whole.
class FlatTensors {
 public:
  /// @param keeps see ReplicaContext::keeps
  /// @param has_memory whether tensors are in other memory than the flat vectors that the functions below receive
  /// @throws Error unsupported if no parameter requires a gradient
  FlatTensors(const ModuleTensors& tensors, const std::function<bool(const std::string& tensor)>& keeps,
              bool has_memory);
  FlatTensors(const FlatTensors&) = delete;
  FlatTensors& operator=(const FlatTensors&) = delete;

  std::size_t size() const { return size_; }
  std::size_t learned_size() const { return learned_size_; }

  /// Makes the parameters views of `weights`, a flat vector, and copies the buffers from it into the module. The
  /// first call frees the memory of the parameters.
  /// @param version if it is known and the same as in the last call, the weights are already in the device's memory
  void use_weights(std::span<const float> weights, const WeightsVersion& version);
  /// Makes the next backward pass write the gradients of parameters to `gradient`, a flat vector. If a pass computes
  /// the gradient of a parameter several times, the gradients are added. Until `complete_gradient`.
  void use_gradient(std::span<float> gradient);
  /// Makes the next backward pass from `loss` write gradients directly that it would cast to float32 first. These are
  /// the gradients of parameters that autocast has cast, except those with further terms or with hooks. The written
  /// floats are the same; a cast would need memory, and a copy of it. For the CPU: on an accelerator, nothing would
  /// wait for streams that the module uses. After `use_gradient`.
  /// @return the number of these gradients
  int take_casts(const at::Tensor& loss);
  /// Completes a flat gradient after a backward pass: writes zeros for parameters on which the loss does not depend and
  /// for padding, and `samples` times the change of each statistic.
  /// @return the number of bytes of gradients that were copied within the memory of the tensors
  std::int64_t complete_gradient(std::span<float> gradient, std::int64_t samples);
  /// Returns the number of bytes that were copied between host and device since the last call.
  std::int64_t take_bytes_over_bus() { return std::exchange(bytes_over_bus_, 0); }

  /// Copies the tensors of another module of the same kind to `weights`, a flat vector.
  void from_module(const ModuleTensors& tensors, std::span<float> weights) const;
  void to_canonical(std::span<const float> weights, std::span<float> canonical) const;
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const;

 private:
  struct Part {
    at::Tensor tensor;         ///< the module's
    at::Tensor weights = {};   ///< a view of the flat weights
    at::Tensor gradient = {};  ///< a view of the flat gradient
    std::size_t offset = 0;
    std::size_t size = 0;
    bool written = false;  ///< the present backward pass has written the gradient

    /// Writes a term of the gradient, or adds it to those before.
    void add(const at::Tensor& term);
  };
  /// A function that autograd calls as soon as the gradient of a parameter is complete.
  struct TakeGradient;
  /// A function that autograd calls with a gradient that it would cast next.
  struct TakeCast;

  std::span<Part> learned() { return std::span(parts_).first(num_learned_); }
  std::span<Part> parameters() { return std::span(parts_).first(num_parameters_); }
  std::span<Part> buffers() { return std::span(parts_).subspan(num_parameters_); }
  /// Defines `flat`, and returns true, if this is the first call for it. On the CPU, lets it refer to `floats`.
  bool refer(at::Tensor& flat, const float* floats) const;
  static at::Tensor view_of(const at::Tensor& flat, const Part& part);
  void clear_padding(std::span<float> gradient) const;

  std::vector<Part> parts_;
  std::size_t num_learned_ = 0;
  std::size_t num_parameters_ = 0;
  std::size_t size_ = 0;
  std::size_t learned_size_ = 0;
  at::Device device_;
  bool has_memory_;
  at::Tensor weights_;   ///< a flat vector; undefined before the first `use_weights`
  at::Tensor gradient_;  ///< a flat vector; undefined before the first `use_gradient`
  WeightsVersion sent_;  ///< the version of the weights in the device's memory
  std::int64_t bytes_over_bus_ = 0;
  bool in_pass_ = false;  ///< between `use_gradient` and `complete_gradient`
  /// Autograd's nodes with our functions; the type of their pointers differs between versions of libtorch.
  std::vector<std::pair<Part*, decltype(torch::autograd::impl::grad_accumulator(std::declval<const at::Tensor&>()))>>
      accumulators_;
};

}  // namespace troupe
