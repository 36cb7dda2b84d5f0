#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

struct ModuleTensor {
  std::string name;
  at::Tensor tensor;
};

/// The tensors of a module that are part of its state: the parameters that require a gradient, then the other
/// parameters, then the buffers of floats, and those of one integer, such as the counts of batch-norm. Buffers with
/// infinite floats, such as masks of attention, are constants and not part of the state. A tensor that two submodules
/// share occurs once.
struct ModuleTensors {
  std::vector<ModuleTensor> all;
  std::size_t num_learned = 0;               ///< number of parameters that require a gradient
  std::size_t num_parameters = 0;            ///< number of all parameters
  std::vector<ModuleTensor> constants = {};  ///< the buffers that are not part of the state
};

/// @throws Error unsupported for a parameter that is not dense float32
ModuleTensors tensors_of(const torch::nn::Module& module);

/// Returns the names and shapes of all tensors that are part of the state.
std::vector<TensorInfo> infos_of(const ModuleTensors& tensors);

/// Returns the present floats of these tensors, one tensor after the other.
std::vector<float> floats_of(const ModuleTensors& tensors);

}  // namespace troupe
