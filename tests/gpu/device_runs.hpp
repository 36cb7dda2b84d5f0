#pragma once

#include <chrono>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe_test {

inline troupe::Options on_cuda(int workers, int devices_per_worker = 1) {
  troupe::Options options;
  options.num_workers = workers;
  options.compute.devices_per_worker = devices_per_worker;
  options.num_shards = 12;
  options.compute.device = troupe::Device::cuda;
  options.verbose = false;
  options.timeouts.step = std::chrono::minutes(10);  // for the double of CUDA under a sanitizer
  return options;
}

/// Returns the weights after a run, including the running statistics.
inline std::vector<float> weights_after_steps(const troupe::Options& options, int steps = 4,
                                              const char* model = "small-cnn") {
  troupe::DistributedSGD sgd(model, options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace troupe_test
