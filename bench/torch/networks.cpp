#include "torch/networks.hpp"

#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/pooling.h>
#include <torch/nn/init.h>
#include <torch/version.h>

#include <cmath>
#include <limits>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

namespace troupe_bench {
namespace {

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t stride, std::int64_t padding) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, size).stride(stride).padding(padding).bias(false));
}

nn::LayerNorm layer_norm(std::int64_t width) { return nn::LayerNorm(nn::LayerNormOptions({width})); }

/// Returns causal attention of queries, keys and values of the shape {batch, heads, time, size}.
torch::Tensor attention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values) {
#if TORCH_VERSION_MAJOR >= 2
  return torch::scaled_dot_product_attention(queries, keys, values, {}, 0.0, /*is_causal=*/true);
#else
  const std::int64_t time = queries.size(2);
  const torch::Tensor scores =
      torch::matmul(queries, keys.transpose(-2, -1)) / std::sqrt(static_cast<double>(queries.size(3)));
  const torch::Tensor later = torch::ones({time, time}, torch::kBool).triu(1);
  return torch::matmul(torch::softmax(scores.masked_fill(later, -std::numeric_limits<float>::infinity()), -1), values);
#endif
}

}  // namespace

Cnn::Cnn()
    : first(nn::Conv2dOptions(1, 32, 3).padding(1)),
      second(nn::Conv2dOptions(32, 64, 3).padding(1)),
      hidden(3136, 128),
      out(128, 10) {
  register_module("first", first);
  register_module("second", second);
  register_module("hidden", hidden);
  register_module("out", out);
}

torch::Tensor Cnn::forward(torch::Tensor images) {
  images = F::max_pool2d(torch::relu(first(images)), F::MaxPool2dFuncOptions(2));
  images = F::max_pool2d(torch::relu(second(images)), F::MaxPool2dFuncOptions(2));
  return out(torch::relu(hidden(images.flatten(1))));
}

ResidualImpl::ResidualImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
    : first(conv(in, out, 3, stride, 1)), second(conv(out, out, 3, 1, 1)), first_norm(out), second_norm(out) {
  register_module("first", first);
  register_module("first_norm", first_norm);
  register_module("second", second);
  register_module("second_norm", second_norm);
  if (stride != 1 || in != out)
    shortcut = register_module("shortcut", nn::Sequential(conv(in, out, 1, stride, 0), nn::BatchNorm2d(out)));
}

torch::Tensor ResidualImpl::forward(torch::Tensor x) {
  torch::Tensor y = second_norm(second(first_norm(first(x)).relu_()));
  y += shortcut.is_empty() ? x : shortcut->forward(x);
  return y.relu_();
}

ResNet18::ResNet18() : first(conv(3, 64, 7, 2, 3)), norm(64), out(512, 10) {
  register_module("first", first);
  register_module("norm", norm);
  for (std::int64_t in = 64, stage = 0; stage < 4; ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    blocks->push_back(Residual(in, width, stage == 0 ? 1 : 2));
    blocks->push_back(Residual(width, width, 1));
    in = width;
  }
  register_module("blocks", blocks);
  register_module("out", out);
}

torch::Tensor ResNet18::forward(torch::Tensor images) {
  const torch::Tensor x = torch::max_pool2d(norm(first(images)).relu_(), 3, 2, 1);
  return out(torch::adaptive_avg_pool2d(blocks->forward(x), {1, 1}).flatten(1));
}

AttentionBlockImpl::AttentionBlockImpl(std::int64_t width, std::int64_t its_heads, double its_dropout)
    : heads(its_heads),
      dropout(its_dropout),
      attention_norm(layer_norm(width)),
      network_norm(layer_norm(width)),
      packed(width, 3 * width),
      projection(width, width),
      hidden(width, 4 * width),
      out(4 * width, width) {
  register_module("attention_norm", attention_norm);
  register_module("packed", packed);
  register_module("projection", projection);
  register_module("network_norm", network_norm);
  register_module("hidden", hidden);
  register_module("out", out);
}

torch::Tensor AttentionBlockImpl::forward(torch::Tensor x) {
  const std::int64_t batch = x.size(0), time = x.size(1), width = x.size(2);
  const torch::Tensor parts =
      packed(attention_norm(x)).view({batch, time, 3, heads, width / heads}).permute({2, 0, 3, 1, 4});
  const torch::Tensor y = attention(parts[0], parts[1], parts[2]);
  x = x + torch::dropout(projection(y.transpose(1, 2).reshape({batch, time, width})), dropout, is_training());
  return x + torch::dropout(out(torch::gelu(hidden(network_norm(x)))), dropout, is_training());
}

Gpt::Gpt() : symbols(kSymbols, 128), positions(kWindow, 128), norm(layer_norm(128)) {
  register_module("symbols", symbols);
  register_module("positions", positions);
  for (int layer = 0; layer < 4; ++layer) blocks->push_back(AttentionBlock(128, 4, 0.1));
  register_module("blocks", blocks);
  register_module("norm", norm);
  for (const auto& each : named_parameters())
    if (each.value().dim() > 1) nn::init::normal_(each.value(), 0, 0.02);
}

torch::Tensor Gpt::forward(torch::Tensor tokens) {
  const torch::Tensor x = symbols(tokens) + positions(torch::arange(tokens.size(1)));
  return torch::matmul(norm(blocks->forward(x)), symbols->weight.t());
}

}  // namespace troupe_bench
