// A user's program: two workers fit one number to the mean of what their shards hold.
#include <cmath>
#include <iostream>
#include <memory>
#include <troupe/troupe.hpp>

struct Mean : troupe::Model {
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override { return {.size = 1}; }
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override {
    const float error = weights[0] - static_cast<float>(at.shard);
    gradient[0] = 2 * error;
    return {.loss_sum = error * error, .samples = 1};
  }
};

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{[](int, int) { return std::make_unique<Mean>(); },
                             {.num_workers = 2, .optimizer = {.learning_rate = 0.25}, .verbose = false}};
  for (int i = 0; i < 50; ++i) sgd.step();
  const float mean = sgd.weights().at(0);
  std::cout << "mean " << mean << '\n';
  return std::abs(mean - 0.5F) < 1e-5F ? 0 : 1;
}
