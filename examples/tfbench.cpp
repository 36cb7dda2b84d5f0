// The program of Ray's DistributedSGD page: ResNet-101 on mock images, two workers with two devices each.
//   example_tfbench [STEPS [BATCH_SIZE [WORKERS [DEVICES_PER_WORKER [STRATEGY]]]]]
#include <iostream>
#include <string>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const auto argument = [&](int i, const char* otherwise) { return std::string(i < argc ? argv[i] : otherwise); };
  const int steps = std::stoi(argument(1, "10"));
  const int batch_size = std::stoi(argument(2, "1"));
  const auto model_creator = [batch_size](int /*worker*/, int /*replica*/) {
    return troupe::models::tfbench(batch_size);
  };
  troupe::DistributedSGD sgd{model_creator,
                             {.num_workers = std::stoi(argument(3, "2")),
                              .optimizer = troupe::Sgd{.learning_rate = 1e-6},
                              .gradients = {.strategy = troupe::strategy_of(argument(5, "sharded"))},
                              .compute = {.devices_per_worker = std::stoi(argument(4, "2"))},
                              .verbose = true}};
  for (int i = 0; i < steps; ++i) {
    const double loss = sgd.step().loss;
    std::cout << "Current loss " << loss << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
