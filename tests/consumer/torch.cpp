// A user's program. Trains a module of libtorch for one step.
#include <torch/nn/modules/linear.h>

#include <iostream>
#include <troupe/torch.hpp>
#include <troupe/troupe.hpp>

struct Net : torch::nn::Module {
  Net() : out(register_module("out", torch::nn::Linear(3 * 8 * 8, 10))) {}
  torch::Tensor forward(torch::Tensor images) { return out(images.flatten(1)); }
  torch::nn::Linear out;
};

int main(int argc, char** argv) {
  troupe::register_model("net", troupe::torch_model<Net>("mock-images:8,10", {.batch_size = 8}));
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd("net", {.num_workers = 2, .placement = troupe::Placement::processes, .verbose = false});
  std::cout << "a step of a module: loss " << sgd.step().loss << '\n';
}
