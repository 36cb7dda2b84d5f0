// Trains the reference CNN on Fashion-MNIST with two workers and saves the weights.
#include <iostream>
#include <troupe/models.hpp>
#include <troupe/sgd.hpp>

int main(int argc, char** argv) try {
  troupe::init(argc, argv);  // the same program becomes a worker process when it is started as one
  troupe::DistributedSGD sgd{[](int /*worker*/, int /*replica*/) {
                               auto data = troupe::load_data("fashion-mnist");
                               return troupe::models::network(troupe::models::cnn_layers(10), data, /*batch_size=*/64);
                             },
                             {.num_workers = 2, .optimizer = troupe::Sgd{.learning_rate = 0.05, .momentum = 0.9}}};
  for (int i = 0; i < 10; ++i) {
    const auto report = sgd.step();
    std::cout << "Current loss " << report.loss << '\n';
  }
  std::cout << "test accuracy " << sgd.evaluate().accuracy << '\n';
  sgd.save("quickstart.safetensors");
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
