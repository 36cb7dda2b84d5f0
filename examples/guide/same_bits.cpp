// Bitwise identical results for any number of workers. The number of shards affects the results, the number of workers
// does not.
#include <iostream>
#include <troupe/troupe.hpp>

std::vector<float> train(int workers, troupe::Strategy strategy) {
  troupe::DistributedSGD sgd{"mlp",
                             {.num_workers = workers,
                              .num_shards = 4,
                              .optimizer = troupe::Adam{.learning_rate = 0.001},
                              .gradients = {.strategy = strategy},
                              .seed = 7,
                              .config = R"({"data": "mock-images:8,10", "batch_size": 16})",
                              .verbose = false}};
  for (int i = 0; i < 20; ++i) sgd.step();
  return sgd.weights();
}

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  const auto weights = train(1, troupe::Strategy::sharded);
  for (const int workers : {2, 3, 4})
    for (const troupe::Strategy strategy : {troupe::Strategy::sharded, troupe::Strategy::driver}) {
      const bool same = train(workers, strategy) == weights;
      std::cout << workers << " workers, " << to_string(strategy) << ": " << (same ? "identical" : "different") << '\n';
      if (!same) return 1;
    }
}
