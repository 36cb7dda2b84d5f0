// Searches for the learning rate and batch size of a network. Each trial runs the function `train` in a process of this
// program on its own cores. Trials with poor results are stopped early. See docs/tune.md.
//
//   example_tune [SAMPLES [EPOCHS [DATA]]]
#include <cstdlib>
#include <iostream>
#include <troupe/troupe.hpp>

using namespace troupe;

void train(const Json& config) {
  const Json values{{"data", config.at("data")}, {"batch_size", config.at("batch_size")}};
  auto model = accelerate("mlp", {.config = values.dump()});
  GroupSGD optimizer{model, here().group(), Sgd{.learning_rate = config.at("learning_rate"), .momentum = 0.9}};
  int epoch = 0;
  if (const auto checkpoint = here().load_checkpoint()) {  // if an earlier process of this trial was lost
    optimizer.load_state(checkpoint->tensors);
    epoch = checkpoint->state.at("epoch");
  }
  while (++epoch <= config.at("epochs")) {
    for (int i = 0; i < 200; ++i) optimizer.step();
    const Evaluation test = optimizer.evaluate();
    here().report({{"epoch", epoch}, {"loss", test.loss}, {"accuracy", test.accuracy}});
    here().save_checkpoint({{"epoch", epoch}}, optimizer.state());
  }
}

int main(int argc, char** argv) try {
  register_function("train", train);
  init(argc, argv);
  const int samples = argc > 1 ? std::atoi(argv[1]) : 6;
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 4;
  const char* data = argc > 3 ? argv[3] : "fashion-mnist";
  tune::Trainable trainable{.function = "train"};
  trainable.config = {{"epochs", epochs}, {"data", data}};
  const tune::Analysis analysis = tune::run(
      trainable, {.space = {{"learning_rate", tune::loguniform(1e-3, 1)}, {"batch_size", tune::choice({32, 64, 128})}},
                  .num_samples = samples,
                  .scheduler = tune::asha(epochs, 1, 2),
                  .metric = "accuracy",
                  .better = Better::higher});
  std::cout << analysis;
  std::cout << "best: " << analysis.best().config << '\n';
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
