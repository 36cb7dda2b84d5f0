// A model made from two functions: the point where the squared distances to all shards' anchors are least is their
// mean.
#include <cmath>
#include <iostream>
#include <troupe/troupe.hpp>

namespace {

double anchor(const troupe::ShardStep& at, std::size_t axis) { return at.shard + 10.0 * static_cast<double>(axis); }

troupe::BatchResult loss(const troupe::ShardStep& at, std::span<const float> point) {
  double sum = 0;
  for (std::size_t axis = 0; axis < point.size(); ++axis) sum += std::pow(point[axis] - anchor(at, axis), 2);
  return {sum, 1};
}

void gradient(const troupe::ShardStep& at, std::span<const float> point, std::span<float> out) {
  for (std::size_t axis = 0; axis < point.size(); ++axis)
    out[axis] = static_cast<float>(2 * (point[axis] - anchor(at, axis)));
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{
      [](int, int) { return std::make_unique<troupe::models::FunctionModel>(2, loss, gradient); },
      {.num_workers = 2,
       .optimizer = troupe::Sgd{.learning_rate = 0.1},
       .compute = {.devices_per_worker = 2},
       .verbose = false}};
  for (int step = 0; step < 100; ++step) sgd.step();
  const auto point = sgd.weights();
  std::cout << "nearest point " << point[0] << ", " << point[1] << " (expected 1.5, 11.5)\n";
  return std::abs(point[0] - 1.5F) < 1e-4F && std::abs(point[1] - 11.5F) < 1e-4F ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
