// Weights as safetensors, and a run that is interrupted and resumed with more workers, bitwise identical.
#include <filesystem>
#include <iostream>
#include <troupe/troupe.hpp>

troupe::Options options(int workers) {
  return {.num_workers = workers,
          .num_shards = 2,
          .optimizer = troupe::Adam{.learning_rate = 0.001},
          .config = R"({"data": "mock-images:8,10", "batch_size": 16})",
          .checkpoint = {.folder = "run", .every_steps = 10, .resume = true},
          .verbose = false};
}

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  std::filesystem::remove_all("run");
  {
    troupe::DistributedSGD sgd{"mlp", options(/*workers=*/1)};
    for (int i = 0; i < 25; ++i) sgd.step();
    sgd.checkpoint();  // in addition to a checkpoint every ten steps, written in the background
  }
  troupe::DistributedSGD sgd{"mlp", options(/*workers=*/2)};
  std::cout << "resumed after step " << sgd.steps_done() << '\n';
  while (sgd.steps_done() < 30) sgd.step();
  sgd.save("weights.safetensors");

  for (const auto& tensor : sgd.tensors()) std::cout << tensor.name << ": " << tensor.size() << " floats\n";
  troupe::DistributedSGD other{"mlp", {.config = options(1).config, .verbose = false}};
  other.load("weights.safetensors");
  return other.weights() == sgd.weights() ? 0 : 1;
}
