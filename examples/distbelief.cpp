// The programming interface of DistBelief (Dean et al. 2012): the user provides the outputs of a model, its gradients,
// and the number of machines. Downpour SGD does the rest. Here the model is a CNN on Fashion-MNIST, and a machine is a
// worker process. `example_distbelief [MACHINES [STEPS]]` prints loss and staleness, and finally the test accuracy.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <troupe/troupe.hpp>
#include <vector>

namespace {

namespace nn = troupe::models;

/// The user's part of a DistBelief program.
struct Problem {
  /// Returns the layers that compute the outputs from the inputs.
  std::vector<nn::Layer> (*outputs)();
  /// Computes the gradients of a mini-batch and returns its loss.
  std::function<troupe::BatchResult(troupe::Model& outputs, const troupe::ShardStep& batch,
                                    std::span<const float> weights, std::span<float> gradients)>
      gradients;
};

std::vector<nn::Layer> cnn_outputs() {
  return {nn::conv2d(32, {.kernel = 5, .padding = 2}),
          nn::relu(),
          nn::max_pool2d({.kernel = 2}),
          nn::conv2d(64, {.kernel = 5, .padding = 2}),
          nn::relu(),
          nn::max_pool2d({.kernel = 2}),
          nn::flatten(),
          nn::linear(256),
          nn::relu(),
          nn::linear(10)};
}

troupe::BatchResult cnn_gradients(troupe::Model& outputs, const troupe::ShardStep& batch,
                                  std::span<const float> weights, std::span<float> gradients) {
  return outputs.gradient(batch, weights, gradients);  // backpropagation; other methods are also possible
}

/// A replica that combines the two functions into a model.
class Replica : public troupe::Model {
 public:
  explicit Replica(Problem problem)
      : problem_(std::move(problem)),
        outputs_(nn::network(problem_.outputs(), troupe::load_data("fashion-mnist"), /*batch_size=*/64)) {}

  troupe::BatchResult gradient(const troupe::ShardStep& batch, std::span<const float> weights,
                               std::span<float> gradients) override {
    return problem_.gradients(*outputs_, batch, weights, gradients);
  }
  void initialize(std::span<float> weights, std::uint64_t seed) override { outputs_->initialize(weights, seed); }
  troupe::EvaluationResult evaluate(const troupe::ShardStep& part, std::span<const float> weights) override {
    return outputs_->evaluate(part, weights);
  }

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& context) override { return outputs_->start(context); }

 private:
  Problem problem_;
  std::unique_ptr<troupe::Model> outputs_;
};

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_model("distbelief", [](const troupe::ReplicaContext&) {
    return std::make_unique<Replica>(Problem{cnn_outputs, cnn_gradients});
  });
  troupe::init(argc, argv);
  const int machines = argc > 1 ? std::stoi(argv[1]) : 2;
  const int steps = argc > 2 ? std::stoi(argv[2]) : 100;
  troupe::DistributedSGD sgd{"distbelief",
                             {.num_workers = machines,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Adagrad{.learning_rate = 0.01},
                              .algorithm = troupe::Downpour{.fetch_every = 2, .push_every = 2, .warm_start = 10},
                              .verbose = false}};
  for (int step = 1; step <= steps; ++step) {
    const auto report = sgd.step();
    if (step % 20 == 0)
      std::printf("step %d: loss %.3f, staleness %.1f at most %lld\n", step, report.loss,
                  report.asynchronous.staleness.mean, static_cast<long long>(report.asynchronous.staleness.largest));
  }
  const double accuracy = sgd.evaluate().accuracy;
  std::printf("test accuracy %.3f\n", accuracy);
  return steps < 100 || accuracy > 0.6 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
