// Errors are troupe::Error exceptions with a code for programs and a message for people. A step that throws has changed
// nothing and can be repeated.
#include <iostream>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  int failures = 2;
  auto loss = [](const troupe::ShardStep&, std::span<const float> w) { return troupe::BatchResult{w[0] * w[0], 1}; };
  auto gradient = [&](const troupe::ShardStep& at, std::span<const float> w, std::span<float> g) {
    if (at.step == 3 && failures-- > 0) throw std::runtime_error("the file server is away");
    g[0] = 2 * w[0] - 4;
  };
  troupe::DistributedSGD sgd{
      [&](int, int) { return std::make_unique<troupe::models::FunctionModel>(1, loss, gradient); },
      {.optimizer = troupe::Sgd{.learning_rate = 0.25}, .verbose = false}};
  while (sgd.steps_done() < 10) try {
      sgd.step();
    } catch (const troupe::Error& error) {
      std::cout << error.what() << '\n';  // contains worker, node, phase and step
      if (error.code() != troupe::ErrorCode::model_failed) throw;
    }
  std::cout << "after " << sgd.steps_done() << " steps " << sgd.weights()[0] << '\n';
}
