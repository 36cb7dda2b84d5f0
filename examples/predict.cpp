// Trains a small network briefly and saves it. Then it predicts with the saved file, as another program would: without
// workers, and with images as the only data.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <troupe/troupe.hpp>

namespace {

void train(const troupe::TrainingData& data) {
  troupe::DistributedSGD sgd{
      [data](int /*worker*/, int /*replica*/) { return troupe::models::network(troupe::models::mlp_layers(10), data); },
      {.optimizer = troupe::Sgd{.learning_rate = 0.05, .momentum = 0.9}, .verbose = false}};
  for (int i = 0; i < 200; ++i) sgd.step();
  sgd.save("predict.safetensors");
}

/// Returns the first images of the test set as floats and writes their classes to `labels`.
std::vector<float> first_images(const troupe::DataSource& test, std::span<std::int32_t> labels) {
  std::vector<std::int64_t> numbers(labels.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<float> values(labels.size() * static_cast<std::size_t>(test.info().sample_size()));
  test.fill({.samples = numbers, .values = values, .labels = labels, .targets = {}});
  return values;
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const troupe::TrainingData data = troupe::load_data("fashion-mnist");
  train(data);

  const troupe::Predictor predictor{"predict.safetensors"};  // the file also describes the network
  std::vector<std::int32_t> labels(10);
  const std::vector<float> probabilities = predictor.probabilities(first_images(*data.test, labels));
  const auto& names = predictor.data().class_names;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = std::span(probabilities).subspan(10 * i, 10);
    const auto best = std::ranges::max_element(row);
    std::cout << names[static_cast<std::size_t>(best - row.begin())] << ' ' << *best << ", label "
              << names[static_cast<std::size_t>(labels[i])] << '\n';
  }
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
