// A user's program. Trains a module of libtorch for one step.
#include <iostream>
#include <troupe/torch.hpp>
#include <troupe/troupe.hpp>

struct Net : torch::nn::Module {
  Net() : weights(register_parameter("weights", torch::zeros({3 * 8 * 8, 10}))) {}
  torch::Tensor forward(torch::Tensor images) { return images.flatten(1).matmul(weights); }
  torch::Tensor weights;
};

int main(int argc, char** argv) {
  troupe::register_model("net", troupe::torch_model<Net>("mock-images:8,10", {.batch_size = 8}));
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd("net", {.num_workers = 2, .placement = troupe::Placement::processes, .verbose = false});
  std::cout << "a step of a module: loss " << sgd.step().loss << '\n';
}
