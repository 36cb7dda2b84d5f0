// A model and data of one's own: logistic regression on two clouds of points that each replica draws for itself. As a
// registered name it also runs in worker processes.
#include <cmath>
#include <iostream>
#include <random>
#include <troupe/troupe.hpp>

namespace {

class TwoClouds : public troupe::Model {
 public:
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> w, std::span<float> g) override {
    std::mt19937 random(static_cast<unsigned>(at.shard));  // a shard's points are the same wherever it is worked on
    std::normal_distribution<float> noise;
    double loss = 0;
    double sum[3] = {};
    for (int i = 0; i < kPoints; ++i) {
      const float side = i % 2 == 0 ? 1.0F : -1.0F;
      const double x = side + noise(random);
      const double y = 2 * side + noise(random);
      const double margin = side * (w[0] * x + w[1] * y + w[2]);
      const double slope = -side / (1 + std::exp(margin));
      loss += std::log1p(std::exp(-margin));
      sum[0] += slope * x;
      sum[1] += slope * y;
      sum[2] += slope;
    }
    for (int i = 0; i < 3; ++i) g[static_cast<std::size_t>(i)] = static_cast<float>(sum[i]);
    return {loss, kPoints};
  }

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override {
    return {.size = 3};  // two slopes and an intercept
  }

 private:
  static constexpr int kPoints = 500;
};

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_model("two-clouds", [](const troupe::ReplicaContext&) { return std::make_unique<TwoClouds>(); });
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{"two-clouds",
                             {.num_workers = 2,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Sgd{.learning_rate = 0.5},
                              .verbose = false}};
  double loss = 0;
  for (int step = 0; step < 200; ++step) loss = sgd.step().loss;
  const auto w = sgd.weights();
  std::cout << "loss " << loss << ", boundary " << w[0] << " x + " << w[1] << " y + " << w[2] << " = 0\n";
  return loss < 0.05 && w[1] > w[0] ? 0 : 1;  // the clouds lie further apart along y
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
