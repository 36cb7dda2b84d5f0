#include "models/torch/flat_tensors.hpp"

#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>
#include <torch/version.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

using torch::autograd::Node;

constexpr std::size_t kAlignment = 16;         // floats; libtorch aligns tensors to 64 bytes
constexpr std::size_t kLearnedAlignment = 32;  // floats; see ModelInfo::learned_size

std::size_t round_up(std::size_t count, std::size_t multiple) { return (count + multiple - 1) / multiple * multiple; }

/// Returns a tensor that refers to a flat vector on the host.
at::Tensor host_tensor(const float* floats, std::size_t size) {
  return at::from_blob(const_cast<float*>(floats), {static_cast<std::int64_t>(size)}, at::kFloat);
}

/// Returns whether the program has hooks that see, and may change, the gradient of a parameter after its cast.
/// @param accumulator the node that adds the gradient; it has one hook of ours
bool is_watched(const at::Tensor& parameter, Node& accumulator, Node& cast) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  if (torch::autograd::impl::post_acc_grad_hooks(parameter) != nullptr) return true;
#endif
  return !torch::autograd::impl::hooks(parameter).empty() || !accumulator.pre_hooks().empty() ||
         accumulator.post_hooks().size() > 1 || !cast.post_hooks().empty();
}

}  // namespace

void FlatTensors::Part::add(const at::Tensor& term) {
  written ? gradient.add_(term) : gradient.copy_(term);
  written = true;
}

struct FlatTensors::TakeGradient final : torch::autograd::FunctionPostHook {
  TakeGradient(Part& to, const bool& is_in_pass) : part(to), in_pass(is_in_pass) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& /*inputs*/) override {
    const at::NoGradGuard no_grad;
    at::Tensor& gradient = part.tensor.mutable_grad();
    if (gradient.defined() && in_pass) part.add(gradient.is_sparse() ? gradient.to_dense() : gradient);
    gradient.reset();  // frees the memory at once
    return outputs;
  }
  Part& part;
  const bool& in_pass;
};

struct FlatTensors::TakeCast final : torch::autograd::FunctionPreHook {
  TakeCast(Part& to, const bool& is_in_pass) : part(to), in_pass(is_in_pass) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override {
    const at::Tensor& gradient = gradients.at(0);
    if (!in_pass || !gradient.defined() || gradient.layout() != at::kStrided) return gradients;
    if (gradient.scalar_type() != at::kBFloat16) return gradients;  // a cast of the module, not autocast's
    const at::NoGradGuard no_grad;
    part.add(gradient);
    return {at::Tensor()};  // nothing is left to cast
  }
  Part& part;
  const bool& in_pass;
};

FlatTensors::FlatTensors(const ModuleTensors& tensors, const std::function<bool(const std::string& tensor)>& keeps,
                         bool has_memory)
    : num_learned_(tensors.num_learned),
      num_parameters_(tensors.num_parameters),
      device_(tensors.num_learned > 0 ? tensors.all.front().tensor.device() : at::kCPU),
      has_memory_(has_memory) {
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

bool FlatTensors::refer(at::Tensor& flat, const float* floats) const {
  const bool first = !flat.defined();
  const auto options = at::TensorOptions(device_).dtype(at::kFloat);
  if (first && has_memory_) {
    flat = at::zeros({static_cast<std::int64_t>(size_)}, options);
  } else if (first) {
    const c10::Storage storage(c10::Storage::use_byte_size_t(), size_ * sizeof(float), at::DataPtr(nullptr, at::kCPU),
                               nullptr, false);
    flat = at::empty({0}, options).set_(storage, 0, {static_cast<std::int64_t>(size_)});
  }
  if (!has_memory_)
    flat.storage().set_data_ptr_noswap(at::DataPtr(const_cast<float*>(floats), at::kCPU));  // no constant tensors
  return first;
}

at::Tensor FlatTensors::view_of(const at::Tensor& flat, const Part& part) {
  return at::empty({0}, flat.options())
      .set_(flat.storage(), static_cast<std::int64_t>(part.offset), part.tensor.sizes());
}

void FlatTensors::use_weights(std::span<const float> weights, const WeightsVersion& version) {
  const at::NoGradGuard no_grad;
  if (refer(weights_, weights.data()))
    for (Part& part : parts_) part.weights = view_of(weights_, part);
  if (has_memory_ && (version.number == 0 || version != sent_)) {
    sent_ = {};  // in case of an exception
    weights_.copy_(host_tensor(weights.data(), size_));
    bytes_over_bus_ += static_cast<std::int64_t>(size_ * sizeof(float));
    sent_ = version;
  }
  for (Part& part : parameters())
    if (!part.tensor.is_alias_of(part.weights)) part.tensor.set_data(part.weights);
  for (Part& part : buffers()) part.tensor.copy_(part.weights);
}

void FlatTensors::use_gradient(std::span<float> gradient) {
  const bool first = refer(gradient_, gradient.data());
  in_pass_ = true;
  for (Part& part : parts_) {
    part.written = false;
    if (first) part.gradient = view_of(gradient_, part);
  }
  if (!first) return;
  for (Part& part : learned()) {
    if (!part.tensor.requires_grad()) continue;
    accumulators_.emplace_back(&part, torch::autograd::impl::grad_accumulator(part.tensor));
    accumulators_.back().second->add_post_hook(std::make_unique<TakeGradient>(part, in_pass_));
  }
}

int FlatTensors::take_casts(const at::Tensor& loss) {
  struct Source {
    Node* node = nullptr;
    int edges = 0;
  };
  if (!loss.grad_fn()) return 0;
  std::unordered_map<const Node*, Source> sources;  // of each node, the last edge that leads to it
  std::vector<Node*> open{loss.grad_fn().get()};
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      if (!edge.is_valid()) continue;
      Source& source = sources[edge.function.get()];
      if (source.edges == 0) open.push_back(edge.function.get());
      source = {node, source.edges + 1};
    }
  }
  int taken = 0;
  for (const auto& [part, accumulator] : accumulators_) {
    const Source source = sources[accumulator.get()];
    if (source.edges != 1 || source.node->name() != "ToCopyBackward0") continue;
    if (is_watched(part->tensor, *accumulator, *source.node)) continue;
    source.node->add_pre_hook(std::make_unique<TakeCast>(*part, in_pass_));
    ++taken;
  }
  return taken;
}

std::int64_t FlatTensors::complete_gradient(std::span<float> gradient, std::int64_t samples) {
  const at::NoGradGuard no_grad;
  in_pass_ = false;
  std::size_t copied = 0;
  for (Part& part : parameters()) {
    if (part.written)
      copied += part.size;
    else
      part.gradient.zero_();
  }
  for (Part& part : buffers())
    at::sub_out(part.gradient, part.tensor.to(at::kFloat), part.weights).mul_(static_cast<double>(samples));
  if (has_memory_) {
    host_tensor(gradient.data(), size_).copy_(gradient_);
    bytes_over_bus_ += static_cast<std::int64_t>(size_ * sizeof(float));
  } else {
    clear_padding(gradient);
  }
  return static_cast<std::int64_t>(copied * sizeof(float));
}

void FlatTensors::clear_padding(std::span<float> gradient) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t next = i + 1 < parts_.size() ? parts_[i + 1].offset : gradient.size();
    std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(parts_[i].offset + parts_[i].size),
              gradient.begin() + static_cast<std::ptrdiff_t>(next), 0.0F);
  }
}

void FlatTensors::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  for (float* to = canonical.data(); const Part& part : parts_)
    to = std::copy_n(weights.data() + part.offset, part.size, to);
}

void FlatTensors::from_module(const ModuleTensors& tensors, std::span<float> weights) const {
  const at::NoGradGuard no_grad;
  std::ranges::fill(weights, 0.0F);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    host_tensor(weights.data() + parts_[i].offset, parts_[i].size).copy_(tensors.all.at(i).tensor.flatten());
}

void FlatTensors::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  std::ranges::fill(weights, 0.0F);
  for (const float* from = canonical.data(); const Part& part : parts_) {
    std::copy_n(from, part.size, weights.data() + part.offset);
    from += part.size;
  }
}

}  // namespace troupe
