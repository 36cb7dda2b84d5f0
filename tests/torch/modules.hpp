#pragma once

#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/pooling.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "troupe/torch.hpp"

namespace troupe_test {

/// A small convolutional network with batch-norm and dropout, for images of 28 x 28 pixels.
struct Cnn : torch::nn::Module {
  Cnn();
  torch::Tensor forward(torch::Tensor x);

  torch::nn::Conv2d first, second;
  torch::nn::BatchNorm2d norm;
  torch::nn::Dropout dropout;
  torch::nn::Linear out;
};

/// A network with an unused parameter, a parameter that requires no gradient, a parameter that two layers share, and a
/// buffer with infinite floats.
struct OddImpl : torch::nn::Module {
  OddImpl();
  torch::Tensor forward(torch::Tensor x);

  torch::nn::Linear first, again, tied, out;
  torch::Tensor unused, fixed, mask;
};
TORCH_MODULE(Odd);

/// Reads tokens: an embedding with a sparse gradient, and a mask as a second input.
struct Tokens : torch::nn::Module {
  Tokens();
  torch::Tensor forward(torch::Tensor tokens, torch::Tensor mask);

  torch::nn::Embedding embedding;
  torch::nn::Linear out;
};

/// A linear layer for `four_values`.
struct Plain : torch::nn::Module {
  Plain() : out(register_module("out", torch::nn::Linear(4, 2))) {}
  torch::Tensor forward(torch::Tensor x) { return out(x); }
  torch::nn::Linear out;
};

/// Returns samples of four values, and their classes, of which there are two.
troupe::TorchDatasets four_values(std::int64_t samples = 12);

constexpr std::int64_t kTokens = 17;
constexpr std::int64_t kLength = 6;

/// Returns sequences of tokens with masks of different lengths, and their classes.
troupe::TorchDatasets token_data();

/// Registers the models "torch-cnn", "torch-odd" and "torch-tokens", and "torch-images", which is "torch-cnn" on images
/// in memory.
void register_modules();

}  // namespace troupe_test
