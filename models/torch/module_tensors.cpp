#include "models/torch/module_tensors.hpp"

#include <torch/types.h>

#include <set>

#include "models/files/checkpoint/weights_of.hpp"
#include "troupe/error.hpp"
#include "troupe/safetensors.hpp"
#include "troupe/torch.hpp"

namespace troupe {
namespace {

void check_parameter(const ModuleTensor& parameter) {
  if (parameter.tensor.scalar_type() != at::kFloat || parameter.tensor.layout() != at::kStrided)
    throw Error(ErrorCode::unsupported, "parameter '" + parameter.name + "' of the module is " +
                                            (parameter.tensor.layout() == at::kStrided ? "" : "sparse ") +
                                            std::string(toString(parameter.tensor.scalar_type())) +
                                            ", but Troupe trains dense float32 parameters only");
}

bool is_state(const at::Tensor& buffer) {
  if (!buffer.defined() || buffer.layout() != at::kStrided) return false;
  if (buffer.scalar_type() == at::kFloat) return buffer.isfinite().all().item<bool>();
  return buffer.scalar_type() == at::kLong && buffer.numel() == 1;
}

}  // namespace

ModuleTensors tensors_of(const torch::nn::Module& module) {
  ModuleTensors tensors;
  std::set<const void*> seen;
  const auto parameters = module.named_parameters();
  for (const bool learned : {true, false}) {
    for (const auto& each : parameters)
      if (each.value().defined() && each.value().requires_grad() == learned &&
          seen.insert(each.value().unsafeGetTensorImpl()).second) {
        tensors.all.push_back({each.key(), each.value()});
        check_parameter(tensors.all.back());
      }
    if (learned) tensors.num_learned = tensors.all.size();
  }
  tensors.num_parameters = tensors.all.size();
  const at::NoGradGuard no_grad;
  for (const auto& each : module.named_buffers())
    if (each.value().defined() && seen.insert(each.value().unsafeGetTensorImpl()).second)
      (is_state(each.value()) ? tensors.all : tensors.constants).push_back({each.key(), each.value()});
  return tensors;
}

std::vector<TensorInfo> infos_of(const ModuleTensors& tensors) {
  std::vector<TensorInfo> infos;
  infos.reserve(tensors.all.size());
  for (const ModuleTensor& each : tensors.all)
    infos.push_back({each.name, {each.tensor.sizes().begin(), each.tensor.sizes().end()}});
  return infos;
}

std::vector<float> floats_of(const ModuleTensors& tensors) {
  const torch::NoGradGuard no_grad;
  std::vector<float> floats;
  floats.reserve(total_size(infos_of(tensors)));
  for (const ModuleTensor& each : tensors.all) {
    const at::Tensor values = each.tensor.to(torch::kCPU, torch::kFloat).contiguous();
    floats.insert(floats.end(), values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
  }
  return floats;
}

void load_weights(torch::nn::Module& module, const std::string& path) {
  load_weights(module, read_safetensors(weights_file_of(path), infos_of(tensors_of(module))));
}

void load_weights(torch::nn::Module& module, std::span<const float> weights) {
  const torch::NoGradGuard no_grad;
  const ModuleTensors tensors = tensors_of(module);
  if (const std::size_t size = total_size(infos_of(tensors)); weights.size() != size)
    throw Error(ErrorCode::model_mismatch, "the weights have " + std::to_string(weights.size()) +
                                               " floats, but the module has " + std::to_string(size));
  for (const float* from = weights.data(); const ModuleTensor& each : tensors.all) {
    at::Tensor tensor = each.tensor;
    tensor.copy_(torch::from_blob(const_cast<float*>(from), tensor.sizes(), torch::kFloat));
    from += tensor.numel();
  }
}

void save_weights(const torch::nn::Module& module, const std::string& path) {
  const ModuleTensors tensors = tensors_of(module);
  write_safetensors(path, infos_of(tensors), floats_of(tensors));
}

}  // namespace troupe
