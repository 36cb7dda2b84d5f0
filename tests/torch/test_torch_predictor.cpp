#include <doctest/doctest.h>

#include <fstream>
#include <numeric>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "torch/modules.hpp"
#include "troupe/sgd.hpp"
#include "troupe/torch_predictor.hpp"

// libtorch defines a macro with this name, too.
#undef CHECK
#define CHECK(...) DOCTEST_CHECK(__VA_ARGS__)

using namespace troupe;
using namespace troupe_test;

namespace {

Options quiet(double learning_rate) {
  Options options;
  options.num_shards = 2;
  options.optimizer = Sgd{.learning_rate = learning_rate, .momentum = 0.9};
  options.verbose = false;
  return options;
}

/// Has three features, and two classes.
struct OfTable : torch::nn::Module {
  OfTable() : out(register_module("out", torch::nn::Linear(3, 2))) {}
  torch::Tensor forward(torch::Tensor x) { return out(x); }
  torch::nn::Linear out;
};

struct Twice : Plain {
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x) { return {out(x), x}; }
};

}  // namespace

TEST_CASE("a predictor classifies raw images as an evaluation does") {
  const TemporaryFolder folder;
  Options options = quiet(0.05);
  options.checkpoint.folder = folder / "checkpoints";
  DistributedSGD sgd("torch-cnn", options);
  for (int step = 0; step < 20; ++step) sgd.step();
  sgd.save(folder / "weights");
  sgd.checkpoint();
  const TrainingData data = load_data("fashion-mnist");
  std::vector<std::int64_t> numbers(500);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<float> images(500 * 784);
  std::vector<std::int32_t> labels(500);
  data.test->fill({.samples = numbers, .values = images, .labels = labels, .targets = {}});

  TorchPredictor<Cnn> loaded(folder / "weights");
  const TorchPredictor<Cnn> predictor = std::move(loaded);
  CHECK(predictor.data().shape == std::vector<std::int64_t>{1, 28, 28});
  CHECK(predictor.data().class_names == data.train->info().class_names);
  const torch::Tensor probabilities = predictor.predict(images);
  CHECK(probabilities.sizes() == at::IntArrayRef({500, 10}));
  CHECK(probabilities.sum().item<double>() == doctest::Approx(500));
  const torch::Tensor expected = torch::from_blob(labels.data(), {500}, torch::kInt).to(torch::kLong);
  const double hits = probabilities.argmax(1).eq(expected).sum().item<double>();
  CHECK(hits > 200);

  Cnn module;
  load_weights(module, folder / "checkpoints");
  module.eval();
  const torch::NoGradGuard no_grad;
  const torch::Tensor input = torch::from_blob(images.data(), {500, 1, 28, 28});
  CHECK(torch::equal(predictor.outputs(input), module.forward(input)));
  CHECK(torch::equal(TorchPredictor<Cnn>(folder / "checkpoints").outputs(input), module.forward(input)));
  CHECK(code_of([&] { predictor.predict(std::span(images).first(100)); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { predictor.predict({{"age", 3}}); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { predictor.outputs(torch::ones({2, 7})); }) == ErrorCode::model_failed);
  CHECK(code_of([&] { predictor.outputs({input, torch::ones({3})}); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { TorchPredictor<Plain> other(folder / "weights"); }) == ErrorCode::model_mismatch);
  CHECK(code_of([&] { TorchPredictor<Cnn> other(folder / "none"); }) == ErrorCode::bad_file);
  CHECK(code_of([&] { Predictor other(folder / "weights"); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a predictor encodes the rows of a table as the training does") {
  const TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  {
    std::ofstream table(path);
    table << "size,colour,kind\n";
    for (int row = 0; row < 40; ++row)
      table << (row % 2 == 0 ? 1 : 9) << ',' << (row % 3 == 0 ? "red" : "blue") << ','
            << (row % 2 == 0 ? "small" : "large") << '\n';
  }
  DistributedSGD sgd(torch_model<OfTable>("csv:" + path + ",class=kind", {.batch_size = 0}), quiet(0.5));
  for (int step = 0; step < 30; ++step) sgd.step();
  sgd.save(folder / "weights");
  const TorchPredictor<OfTable> predictor(folder / "weights");
  for (const char* colour : {"red", "blue"}) {
    const torch::Tensor small = predictor.predict({{"size", 1}, {"colour", colour}});
    const torch::Tensor large = predictor.predict({{"size", 9}, {"colour", colour}});
    CHECK(small.sizes() == at::IntArrayRef({1, 2}));
    CHECK(small.argmax().item<int>() != large.argmax().item<int>());
    CHECK(small.max().item<float>() > 0.9F);
  }
  CHECK(code_of([&] { predictor.predict({{"size", 1}}); }) == ErrorCode::bad_data);
}

/// Multiplies its input in place, and returns one number for each sample.
struct InPlace : torch::nn::Module {
  InPlace() : factor(register_parameter("factor", torch::ones({1}))) {}
  torch::Tensor forward(torch::Tensor x) {
    if (is_training()) return (x * factor).squeeze(1);
    return x.mul_(factor).squeeze(1);
  }
  torch::Tensor factor;
};

TEST_CASE("a predictor returns a row for each sample, and changes no input") {
  const TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  {
    std::ofstream table(path);
    table << "x,y\n1,2\n2,4\n3,6\n4,8\n";
  }
  DistributedSGD sgd(torch_model<InPlace>("csv:" + path + ",target=y", {.batch_size = 0}), quiet(0.02));
  for (int step = 0; step < 60; ++step) sgd.step();
  sgd.save(folder / "weights");
  const TorchPredictor<InPlace> predictor(folder / "weights");
  const torch::Tensor kept = predictor.predict({{"x", 10}});
  for (int call = 0; call < 3; ++call) {
    const torch::Tensor rows = predictor.predict(std::vector<float>{1, 2, 3});
    CHECK(rows.sizes() == at::IntArrayRef({3, 1}));
    CHECK(rows[2].item<float>() == doctest::Approx(6).epsilon(0.05));
  }
  CHECK(kept.sizes() == at::IntArrayRef({1, 1}));
  CHECK(kept.item<float>() == doctest::Approx(20).epsilon(0.05));
  const torch::Tensor input = torch::ones({2, 1});
  CHECK(torch::equal(predictor.outputs(input), predictor.outputs(input)));
  CHECK(torch::equal(input, torch::ones({2, 1})));
  CHECK(code_of([&] { predictor.outputs(std::vector<torch::Tensor>()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { predictor.outputs({input, input}); }) == ErrorCode::model_failed);
}

TEST_CASE("a predictor of tensors takes tensors only") {
  const TemporaryFolder folder;
  Plain module;
  save_weights(module, folder / "weights");
  const TorchPredictor<Plain> predictor(folder / "weights");
  CHECK(predictor.data().shape.empty());
  const torch::NoGradGuard no_grad;
  const torch::Tensor input = torch::ones({3, 4});
  CHECK(torch::equal(predictor.outputs(input), module.forward(input)));
  CHECK_FALSE(predictor.outputs(input).requires_grad());
  CHECK(code_of([&] { predictor.predict(std::vector<float>(4)); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { TorchPredictor<Twice> twice(folder / "weights"); }) == ErrorCode::unsupported);
  TorchOptions<Twice> options;
  options.outputs = [](Twice& twice, const TorchBatch& batch) { return twice.forward(batch.inputs[0]).first; };
  CHECK(torch::equal(TorchPredictor<Twice>(folder / "weights", options).outputs(input), module.forward(input)));
}
