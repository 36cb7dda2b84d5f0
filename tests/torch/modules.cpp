#include "torch/modules.hpp"

#include <torch/nn/functional/loss.h>
#include <torch/nn/init.h>

#include <limits>

#include "troupe/loop.hpp"
#include "troupe/trainer.hpp"

namespace F = torch::nn::functional;

namespace troupe_test {

Cnn::Cnn()
    : first(torch::nn::Conv2dOptions(1, 8, 5)),
      second(torch::nn::Conv2dOptions(8, 8, 3)),
      norm(8),
      dropout(0.25),
      out(200, 10) {
  register_module("first", first);
  register_module("second", second);
  register_module("norm", norm);
  register_module("dropout", dropout);
  register_module("out", out);
}

torch::Tensor Cnn::forward(torch::Tensor x) {
  x = F::max_pool2d(torch::relu(norm(first(x))), F::MaxPool2dFuncOptions(2));
  x = F::max_pool2d(torch::relu(second(x)), F::MaxPool2dFuncOptions(2));
  return out(dropout(x.flatten(1)));
}

OddImpl::OddImpl() : first(784, 12), again(12, 12), tied(nullptr), out(12, 10) {
  register_module("first", first);
  register_module("again", again);
  register_module("out", out);
  unused = register_parameter("unused", torch::randn({3, 5}));
  fixed = register_parameter("fixed", torch::randn({12}), /*requires_grad=*/false);
  mask = register_buffer("mask", torch::full({12, 12}, -std::numeric_limits<float>::infinity()).triu(1));
  tied = register_module("tied", again);
}

torch::Tensor OddImpl::forward(torch::Tensor x) {
  x = torch::tanh(first(x.flatten(1)) + fixed);
  x = torch::tanh(again(torch::tanh(tied(x))));
  return out(x);
}

Tokens::Tokens() : embedding(torch::nn::EmbeddingOptions(kTokens, 5).sparse(true)), out(5, 3) {
  register_module("embedding", embedding);
  register_module("out", out);
}

torch::Tensor Tokens::forward(torch::Tensor tokens, torch::Tensor mask) {
  const torch::Tensor kept = embedding(tokens) * mask.unsqueeze(2);
  return out(kept.sum(1) / mask.sum(1, /*keepdim=*/true));
}

troupe::TorchDatasets four_values(std::int64_t samples) {
  const torch::Tensor inputs = torch::arange(4 * samples, torch::kFloat).view({samples, 4}) / (4 * samples);
  return {.train = troupe::torch_tensors({inputs}, torch::arange(samples, torch::kLong) % 2)};
}

troupe::TorchDatasets token_data() {
  constexpr std::int64_t kSamples = 97;
  torch::Tensor tokens = torch::empty({kSamples, kLength}, torch::kLong);
  torch::Tensor mask = torch::zeros({kSamples, kLength});
  torch::Tensor classes = torch::empty({kSamples}, torch::kLong);
  for (std::int64_t i = 0; i < kSamples; ++i) {
    for (std::int64_t k = 0; k < kLength; ++k) tokens[i][k] = (i * 7 + k * k * 3) % kTokens;
    mask[i].slice(0, 0, 1 + i % kLength).fill_(1);
    classes[i] = (i * 7) % kTokens % 3;
  }
  return {.train = troupe::torch_tensors({tokens, mask}, classes),
          .test = troupe::torch_tensors({tokens.slice(0, 0, 40), mask.slice(0, 0, 40)}, classes.slice(0, 0, 40))};
}

namespace {

/// Returns images of 28 x 28 pixels, and their classes.
troupe::TorchDatasets image_data() {
  constexpr std::int64_t kSamples = 64;
  const torch::Tensor classes = torch::arange(kSamples, torch::kLong) % 10;
  const torch::Tensor waves = torch::arange(784, torch::kFloat).unsqueeze(0) * (classes + 1).unsqueeze(1) / 50;
  return {.train = troupe::torch_tensors({waves.sin().view({kSamples, 1, 28, 28})}, classes)};
}

/// Trains "torch-tokens" with the learning rate `lr`, and reports the loss after each step.
troupe::Json tune_tokens(const troupe::Json& config) {
  troupe::GroupSGD sgd(troupe::accelerate("torch-tokens"), troupe::here().group(),
                       troupe::Sgd{.learning_rate = config["lr"].get<double>()});
  for (int step = 0; step < 6; ++step) troupe::here().report({{"loss", sgd.step().loss}});
  return {};
}

}  // namespace

void register_modules() {
  troupe::register_function("torch-tune", tune_tokens);
  troupe::register_model("torch-cnn", troupe::torch_model<Cnn>("fashion-mnist", {.batch_size = 16}));
  troupe::register_model("torch-images", troupe::torch_model<Cnn>(image_data(), {.batch_size = 16}));
  troupe::register_model("torch-odd", troupe::torch_model<Odd>("fashion-mnist", {.batch_size = 16}));
  troupe::register_model("torch-tokens", troupe::torch_model<Tokens>(token_data(), {.batch_size = 8}));
}

}  // namespace troupe_test
