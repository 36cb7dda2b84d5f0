// A layer of the user: Swish, which multiplies x by its sigmoid. Forward and backward passes use Eigen. The network
// also contains Troupe's layers and is trained in worker processes.
#include <iostream>
#include <troupe/eigen.hpp>
#include <troupe/models.hpp>
#include <troupe/sgd.hpp>

namespace {

using namespace troupe::models;

using troupe::eigen::row;

class Swish : public CustomLayer {
 public:
  std::string kind() const override { return "Swish"; }
  troupe::SampleShape output(std::span<const troupe::SampleShape> inputs) const override { return inputs[0]; }

  void forward(const Forward& at) const override {
    const auto x = row(at.input).array();
    row(at.output) = x / (1 + (-x).exp());
  }
  void backward(const Backward& at) const override {
    if (at.input_gradient.empty()) return;  // no earlier layer has parameters
    const auto x = row(at.input).array();
    const auto share = 1 / (1 + (-x).exp());
    row(at.input_gradient) = row(at.output_gradient).array() * (share + row(at.output).array() * (1 - share));
  }
};

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_model("swish", [](const troupe::ReplicaContext& at) {
    const Layer swish = std::make_shared<Swish>();
    return network({flatten(), linear(64), swish, dropout(0.1), linear(10)},
                   troupe::load_data("fashion-mnist", at.seed));
  });
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{"swish",
                             {.num_workers = 2,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Sgd{.learning_rate = 0.1},
                              .verbose = false}};
  for (int step = 0; step < 300; ++step) sgd.step();
  const double accuracy = sgd.evaluate().accuracy;
  std::cout << "accuracy " << accuracy << '\n';
  return accuracy > 0.75 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
