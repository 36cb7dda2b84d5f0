// A user's program. Takes a step on this machine's CUDA devices, or prints why there are none.
#include <iostream>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const troupe::ModelCreator creator([](const troupe::ReplicaContext& /*context*/) {
    return troupe::models::network({troupe::models::flatten(), troupe::models::linear(10)},
                                   troupe::load_data("mock-images:8,10", 1), 8);
  });
  troupe::DistributedSGD sgd(creator,
                             {.num_workers = 2, .compute = {.device = troupe::Device::cuda}, .verbose = false});
  std::cout << "a step on CUDA devices: loss " << sgd.step().loss << '\n';
} catch (const troupe::Error& error) {
  std::cout << "no step: " << to_string(error.code()) << ": " << error.message() << '\n';
}
