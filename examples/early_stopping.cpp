// Stops when the test loss has not decreased for some epochs, and restores the best weights. The network soon memorizes
// the 40 points of two overlapping classes.
#include <iostream>
#include <random>
#include <troupe/troupe.hpp>

namespace {

constexpr std::int64_t kDimensions = 10;

std::shared_ptr<const troupe::DataSource> make_points(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise;
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::int32_t>(i % 2));
    for (std::int64_t axis = 0; axis < kDimensions; ++axis)
      values.push_back((i % 2 == 0 ? 0.3F : -0.3F) + noise(random));
  }
  return std::make_shared<troupe::Dataset>(troupe::Dataset::classes({kDimensions}, values, labels, 2));
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const troupe::TrainingData data{.train = make_points(40, 1), .test = make_points(2000, 2)};
  troupe::DistributedSGD sgd{
      [data](int, int) { return troupe::models::network(troupe::models::mlp_layers(2), data, /*batch_size=*/5); },
      {.num_workers = 2, .optimizer = troupe::Sgd{.learning_rate = 0.1}, .verbose = false}};
  constexpr int kPatience = 5;  // epochs
  double best = sgd.evaluate().loss;
  std::vector<float> weights = sgd.weights();
  for (int epoch = 1, without = 0; without < kPatience && epoch <= 200; ++epoch) {
    for (std::int64_t step = 0; step < sgd.steps_per_epoch(); ++step) sgd.step();
    const double loss = sgd.evaluate().loss;
    without = loss < best ? 0 : without + 1;
    if (without == 0) best = loss, weights = sgd.weights();
    std::cout << "epoch " << epoch << ": test loss " << loss << (without == 0 ? ", the best\n" : "\n");
  }
  const double last = sgd.evaluate().loss;
  sgd.set_weights(weights);
  const double kept = sgd.evaluate().loss;
  std::cout << "restored the weights with test loss " << kept << "; the last test loss was " << last << '\n';
  return kept == best && kept < last ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
