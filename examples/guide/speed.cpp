// Where the time is spent: the phases of each step, the slowest worker, and the layers of a replica.
#include <chrono>
#include <iostream>
#include <thread>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  auto loss = [](const troupe::ShardStep&, std::span<const float>) { return troupe::BatchResult{0, 1}; };
  auto gradient = [](const troupe::ShardStep& at, std::span<const float>, std::span<float>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(at.shard == 2 ? 30 : 5));  // one shard takes longer
  };
  troupe::DistributedSGD sgd{
      [&](int, int) { return std::make_unique<troupe::models::FunctionModel>(1000, loss, gradient); },
      {.num_workers = 3, .verbose = false}};
  sgd.warmup();
  const auto report = sgd.step();
  std::cout << report.seconds << report.slowest;  // as `verbose` prints them
  std::cout << "worker " << report.slowest.worker << " computed for " << report.slowest.seconds << " s, the others for "
            << report.slowest.others << " s\n";

  troupe::DistributedSGD cnn{[](int, int) {
                               const auto data = troupe::load_data("mock-images:28,10");
                               return troupe::models::network(troupe::models::cnn_bn_layers(10), data, 8);
                             },
                             {.verbose = false}};
  for (int i = 0; i < 3; ++i) cnn.step();
  const troupe::Json profile = cnn.call_model([](troupe::Model& model, std::span<const float>) {
    troupe::Json seconds;
    for (const auto& layer : model.profile()) seconds[layer.kind] = layer.forward_seconds + layer.backward_seconds;
    return seconds;
  });
  std::cout << profile.dump(2) << '\n';
}
