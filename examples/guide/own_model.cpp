// A model of the user: a line through points, by least squares.
#include <iostream>
#include <troupe/troupe.hpp>

class Line : public troupe::Model {
  troupe::ModelInfo prepare(const troupe::ReplicaContext&) override { return {.size = 2}; }  // slope and intercept

 public:
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> w, std::span<float> g) override {
    g[0] = g[1] = 0;
    double loss = 0;
    for (int i = at.shard; i < 100; i += at.num_shards) {  // each shard has its own points
      const float x = static_cast<float>(i) / 100;
      const float error = w[0] * x + w[1] - (3 * x + 1);
      loss += error * error;
      g[0] += 2 * error * x;  // gradient of the sum of the losses, not of their mean
      g[1] += 2 * error;
    }
    return {loss, 100 / at.num_shards};
  }
};

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{[](int, int) { return std::make_unique<Line>(); },
                             {.num_workers = 2, .optimizer = troupe::Sgd{.learning_rate = 0.5}, .verbose = false}};
  for (int i = 0; i < 300; ++i) sgd.step();
  const auto w = sgd.weights();
  std::cout << "y = " << w[0] << " x + " << w[1] << '\n';
  return w[0] > 2.9F && w[0] < 3.1F ? 0 : 1;
}
