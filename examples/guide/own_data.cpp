// Data of the user: a table in a CSV file, for a ready-made network.
#include <fstream>
#include <iostream>
#include <troupe/troupe.hpp>

// Lines "x,y,class". Every fifth line belongs to the test set.
troupe::TrainingData read_points(const std::string& path) {
  std::vector<float> values[2];
  std::vector<std::int32_t> labels[2];
  std::ifstream file(path);
  float x = 0;
  float y = 0;
  int label = 0;
  char comma = 0;
  for (int line = 0; file >> x >> comma >> y >> comma >> label; ++line) {
    const int test = line % 5 == 0 ? 1 : 0;
    values[test].insert(values[test].end(), {x, y});
    labels[test].push_back(label);
  }
  const auto set = [&](int i) {
    return std::make_shared<troupe::Dataset>(troupe::Dataset::classes({2}, values[i], labels[i], /*num_classes=*/3));
  };
  return {.train = set(0), .test = set(1)};
}

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const auto data = read_points(argc > 1 ? argv[1] : "points.csv");
  troupe::DistributedSGD sgd{
      [data](int, int) { return troupe::models::network(troupe::models::mlp_layers(3), data, /*batch_size=*/16); },
      {.num_workers = 2, .optimizer = troupe::Sgd{.learning_rate = 0.1, .momentum = 0.9}, .verbose = false}};
  for (int i = 0; i < 300; ++i) sgd.step();
  const auto result = sgd.evaluate();
  std::cout << "accuracy on " << result.samples << " points: " << result.accuracy << '\n';
  return result.accuracy > 0.9 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
