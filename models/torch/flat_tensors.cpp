#include "models/torch/flat_tensors.hpp"

#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::size_t kAlignment = 16;         // floats; libtorch aligns tensors to 64 bytes
constexpr std::size_t kLearnedAlignment = 32;  // floats; see ModelInfo::learned_size

std::size_t round_up(std::size_t count, std::size_t multiple) { return (count + multiple - 1) / multiple * multiple; }

at::Tensor view_of(const c10::Storage& storage, std::size_t offset, const at::Tensor& tensor) {
  return at::empty({0}, at::TensorOptions(at::kCPU).dtype(at::kFloat))
      .set_(storage, static_cast<std::int64_t>(offset), tensor.sizes());
}

}  // namespace

struct FlatTensors::TakeGradient final : torch::autograd::FunctionPostHook {
  TakeGradient(Part& to, const bool& in_pass) : part(to), in_pass(in_pass) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& /*inputs*/) override {
    const at::NoGradGuard no_grad;
    at::Tensor& gradient = part.tensor.mutable_grad();
    if (gradient.defined() && in_pass) {
      const at::Tensor dense = gradient.is_sparse() ? gradient.to_dense() : gradient;
      part.written ? part.gradient.add_(dense) : part.gradient.copy_(dense);
      part.written = true;
    }
    gradient.reset();  // frees the memory at once
    return outputs;
  }
  Part& part;
  const bool& in_pass;
};

FlatTensors::FlatTensors(const ModuleTensors& tensors, const std::function<bool(const std::string& tensor)>& keeps)
    : num_learned_(tensors.num_learned), num_parameters_(tensors.num_parameters) {
  if (num_learned_ == 0) throw Error(ErrorCode::unsupported, "no parameter of the module requires a gradient");
  parts_.reserve(tensors.all.size());
  std::size_t end = 0;
  for (const ModuleTensor& each : tensors.all) {
    if (parts_.size() == num_learned_) learned_size_ = end = round_up(end, kLearnedAlignment);
    parts_.push_back({.tensor = each.tensor, .offset = end, .size = static_cast<std::size_t>(each.tensor.numel())});
    end += round_up(parts_.back().size, kAlignment);
  }
  size_ = round_up(end, kLearnedAlignment);
  if (learned_size_ == 0) learned_size_ = size_;
  for (std::size_t i = 0; i < num_learned_; ++i)
    if (keeps && keeps(tensors.all[i].name)) parts_[i].tensor.set_requires_grad(false);
}

c10::Storage FlatTensors::make_storage() const {
  return {c10::Storage::use_byte_size_t(), size_ * sizeof(float), at::DataPtr(nullptr, at::kCPU), nullptr, false};
}

void FlatTensors::use_weights(std::span<const float> weights) {
  const at::NoGradGuard no_grad;
  auto* const data = const_cast<float*>(weights.data());  // libtorch has no constant tensors
  const bool first = !weights_;
  if (first) weights_ = make_storage();
  weights_->set_data_ptr_noswap(at::DataPtr(data, at::kCPU));
  if (first)
    for (Part& part : parameters()) part.tensor.set_data(view_of(*weights_, part.offset, part.tensor));
  for (Part& part : buffers()) part.tensor.copy_(at::from_blob(data + part.offset, part.tensor.sizes(), at::kFloat));
}

void FlatTensors::use_gradient(std::span<float> gradient) {
  const bool first = !gradient_;
  if (first) gradient_ = make_storage();
  gradient_->set_data_ptr_noswap(at::DataPtr(gradient.data(), at::kCPU));
  in_pass_ = true;
  for (Part& part : learned()) {
    part.written = false;
    if (!first || !part.tensor.requires_grad()) continue;
    part.gradient = view_of(*gradient_, part.offset, part.tensor);
    accumulators_.push_back(torch::autograd::impl::grad_accumulator(part.tensor));
    accumulators_.back()->add_post_hook(std::make_unique<TakeGradient>(part, in_pass_));
  }
}

std::int64_t FlatTensors::complete_gradient(std::span<const float> weights, std::span<float> gradient,
                                            std::int64_t samples) {
  in_pass_ = false;
  std::size_t copied = 0;
  for (Part& part : parameters()) {
    if (part.written)
      copied += part.size;
    else
      std::fill_n(gradient.data() + part.offset, part.size, 0.0F);
  }
  for (const Part& part : buffers()) {
    const at::Tensor now = part.tensor.to(at::kFloat).contiguous();
    const float* const changed = now.data_ptr<float>();
    for (std::size_t i = part.offset; i < part.offset + part.size; ++i)
      gradient[i] = static_cast<float>(samples) * (changed[i - part.offset] - weights[i]);
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t next = i + 1 < parts_.size() ? parts_[i + 1].offset : gradient.size();
    std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(parts_[i].offset + parts_[i].size),
              gradient.begin() + static_cast<std::ptrdiff_t>(next), 0.0F);
  }
  return static_cast<std::int64_t>(copied * sizeof(float));
}

void FlatTensors::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  for (float* to = canonical.data(); const Part& part : parts_)
    to = std::copy_n(weights.data() + part.offset, part.size, to);
}

void FlatTensors::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  std::ranges::fill(weights, 0.0F);
  for (const float* from = canonical.data(); const Part& part : parts_) {
    std::copy_n(from, part.size, weights.data() + part.offset);
    from += part.size;
  }
}

}  // namespace troupe
