// A model made from two functions. Each shard has an anchor point. The point with the smallest sum of squared distances
// to all anchors is their mean.
#include <cmath>
#include <iostream>
#include <troupe/eigen.hpp>
#include <troupe/models.hpp>
#include <troupe/sgd.hpp>

namespace {

using troupe::eigen::Row;
using troupe::eigen::row;

Row anchor(const troupe::ShardStep& at) {
  return Row{{static_cast<float>(at.shard), static_cast<float>(at.shard + 10)}};
}

troupe::BatchResult loss(const troupe::ShardStep& at, std::span<const float> point) {
  return {(row(point) - anchor(at)).squaredNorm(), 1};
}

void gradient(const troupe::ShardStep& at, std::span<const float> point, std::span<float> out) {
  row(out) = 2 * (row(point) - anchor(at));
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
