// A data source of the user: a million points on three rings, computed on request and never stored. Data and model have
// registered names, so that worker processes can also create them.
#include <cmath>
#include <iostream>
#include <numbers>
#include <random>
#include <troupe/troupe.hpp>

namespace {

class Rings : public troupe::DataSource {
 public:
  Rings(std::int64_t points, std::uint64_t seed)
      : DataSource({.num_samples = points, .shape = {2}, .num_classes = 3}), seed_(seed) {}

 private:
  void read(const troupe::BatchRequest& request) const override {
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto number = static_cast<std::uint64_t>(request.samples[i]);
      std::mt19937_64 random(seed_ + number);  // the same point in each worker and epoch
      const double angle = std::uniform_real_distribution(0.0, 2 * std::numbers::pi)(random);
      const auto ring = static_cast<std::int32_t>(number % 3);
      const double radius = ring + 1 + std::normal_distribution(0.0, 0.1)(random);
      request.values[2 * i] = static_cast<float>(radius * std::cos(angle));
      request.values[2 * i + 1] = static_cast<float>(radius * std::sin(angle));
      request.labels[i] = ring;
    }
  }

  std::uint64_t seed_;
};

troupe::TrainingData make_rings(const std::string& points, std::uint64_t seed) {
  return {.train = std::make_shared<Rings>(std::stoll(points), seed), .test = std::make_shared<Rings>(1000, ~seed)};
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_data("rings", make_rings, {.arguments = ":POINTS", .drawn = true});
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{"mlp",
                             {.num_workers = 2,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Sgd{.learning_rate = 0.2, .momentum = 0.9},
                              .config = R"({"data": "rings:1000000"})",
                              .verbose = false}};
  for (int step = 0; step < 300; ++step) sgd.step();
  const double accuracy = sgd.evaluate().accuracy;
  std::cout << "test accuracy " << accuracy << '\n';
  return accuracy > 0.95 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
