#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

// The networks that troupe-torch-bench measures. bench/peers/ddp_modules.py defines the same networks in Python.
namespace troupe_bench {

/// The reference CNN of Troupe, for images of 28 x 28.
struct Cnn : torch::nn::Module {
  Cnn();
  torch::Tensor forward(torch::Tensor images);

  torch::nn::Conv2d first, second;
  torch::nn::Linear hidden, out;
};

/// Two convolutions and a shortcut.
struct ResidualImpl : torch::nn::Module {
  ResidualImpl(std::int64_t in, std::int64_t out, std::int64_t stride);
  torch::Tensor forward(torch::Tensor x);

  torch::nn::Conv2d first, second;
  torch::nn::BatchNorm2d first_norm, second_norm;
  torch::nn::Sequential shortcut{nullptr};
};
TORCH_MODULE(Residual);

/// ResNet-18 for ten classes.
struct ResNet18 : torch::nn::Module {
  ResNet18();
  torch::Tensor forward(torch::Tensor images);

  torch::nn::Conv2d first;
  torch::nn::BatchNorm2d norm;
  torch::nn::Sequential blocks;
  torch::nn::Linear out;
};

/// A layer of a GPT: causal attention and a network of two layers.
struct AttentionBlockImpl : torch::nn::Module {
  AttentionBlockImpl(std::int64_t width, std::int64_t heads, double dropout);
  torch::Tensor forward(torch::Tensor x);

  std::int64_t heads;
  double dropout;
  torch::nn::LayerNorm attention_norm, network_norm;
  torch::nn::Linear packed, projection, hidden, out;
};
TORCH_MODULE(AttentionBlock);

/// A GPT with tied weights: 4 layers of width 128, 4 heads, 128 symbols, windows of 64.
struct Gpt : torch::nn::Module {
  static constexpr std::int64_t kSymbols = 128, kWindow = 64;

  Gpt();
  torch::Tensor forward(torch::Tensor tokens);

  torch::nn::Embedding symbols, positions;
  torch::nn::Sequential blocks;
  torch::nn::LayerNorm norm;
};

}  // namespace troupe_bench
