// A layer of one's own, Swish: x times its sigmoid. It is written over plain floats, once for the values and once for
// the gradients, and trains beside Troupe's layers, here in worker processes.
#include <cmath>
#include <iostream>
#include <troupe/troupe.hpp>

namespace {

using namespace troupe::models;

double sigmoid_of(float x) { return 1 / (1 + std::exp(-static_cast<double>(x))); }

class Swish : public CustomLayer {
 public:
  std::string kind() const override { return "Swish"; }
  troupe::SampleShape output(std::span<const troupe::SampleShape> inputs) const override { return inputs[0]; }

  void forward(const Forward& at) const override {
    for (std::size_t i = 0; i < at.input.size(); ++i)
      at.output[i] = static_cast<float>(at.input[i] * sigmoid_of(at.input[i]));
  }
  void backward(const Backward& at) const override {
    for (std::size_t i = 0; i < at.input_gradient.size(); ++i) {
      const double share = sigmoid_of(at.input[i]);
      const double slope = share + at.output[i] * (1 - share);
      at.input_gradient[i] = static_cast<float>(at.output_gradient[i] * slope);
    }
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
