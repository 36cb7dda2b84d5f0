#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device_runs.hpp"
#include "support/errors.hpp"
#include "support/small_gpt.hpp"
#include "support/temporary_folder.hpp"
#include "troupe/generator.hpp"
#include "troupe/predictor.hpp"

// Predictions on CUDA devices: the double or a GPU, depending on the linked libraries.
using namespace troupe;
using troupe_test::on_cuda;

namespace {

const PredictorOptions kOnCuda{.device = Device::cuda};

/// Trains a few steps on a CUDA device, saves the weights, and returns the path of the file.
std::string trained(const troupe_test::TemporaryFolder& folder, const std::string& model, const std::string& config) {
  Options options = on_cuda(1);
  options.num_shards = 2;
  options.config = config;
  DistributedSGD sgd(model, options);
  for (int step = 0; step < 3; ++step) sgd.step();
  const std::string path = folder / (model + ".safetensors");
  sgd.save(path);
  return path;
}

std::vector<float> samples_for(const Predictor& predictor, std::size_t count) {
  std::vector<float> samples(count * static_cast<std::size_t>(predictor.data().sample_size()));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = std::sin(static_cast<float>(i));
  return samples;
}

/// Returns the largest difference between two vectors, relative to the largest number of `right`.
float distance(const std::vector<float>& found, const std::vector<float>& right) {
  REQUIRE(found.size() == right.size());
  float largest = 0;
  float worst = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    largest = std::max(largest, std::abs(right[i]));
    worst = std::max(worst, std::abs(found[i] - right[i]));
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("CUDA: a Predictor computes the outputs of the CPU in f32, and outputs near them in bf16") {
  const troupe_test::TemporaryFolder folder;
  const std::string path = trained(folder, "cnn-bn", R"({"data": "mock-images:16,5,32", "batch_size": 4})");
  const Predictor on_cpu(path);
  const Predictor on_device(path, kOnCuda);
  for (const std::size_t count : {0, 1, 67}) {
    CAPTURE(count);
    const std::vector<float> samples = samples_for(on_cpu, count);
    const std::vector<float> found = on_device.outputs(samples);
    CHECK(on_device.outputs(samples) == found);
    if (count == 0) continue;
    CHECK(distance(found, on_cpu.outputs(samples)) < 1e-4F);
    const Predictor halved(path, {.device = Device::cuda, .precision = Precision::bf16});
    const float rounding = distance(halved.outputs(samples), found);
    CHECK(rounding > 1e-5F);
    CHECK(rounding < 0.05F);
  }
  CHECK(code_of([&] { Predictor(path, {.device = Device::cuda, .device_number = 99}); }) == ErrorCode::unsupported);
}

TEST_CASE("CUDA: several threads predict with one Predictor") {
  const troupe_test::TemporaryFolder folder;
  const std::string path = trained(folder, "cnn", R"({"data": "mock-images:16,5,32", "batch_size": 4})");
  const Predictor predictor(path, kOnCuda);
  const std::vector<float> samples = samples_for(predictor, 9);
  const std::vector<float> expected = predictor.outputs(samples);
  std::vector<std::vector<float>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& own : found)
      threads.emplace_back([&] {
        for (int call = 0; call < 3; ++call) own = predictor.outputs(samples);
      });
  }
  for (const std::vector<float>& own : found) CHECK(own == expected);
}

TEST_CASE("CUDA: a Generator continues a text as on the CPU") {
  const troupe_test::TemporaryFolder folder;
  const std::string path = trained(folder, "gpt", troupe_test::gpt_config(/*dropout=*/0, /*micro_batch=*/0));
  const GenerationOptions likeliest{.tokens = 10, .temperature = 0};
  CHECK(Generator(path, kOnCuda).text("line 4", likeliest) == Generator(path).text("line 4", likeliest));
}
