// Code as users write it, compiled with warnings as errors: designated initializers, hand-written training loops,
// searches.
#include <array>
#include <iostream>
#include <troupe/troupe.hpp>

using namespace troupe;

void train(const Json& config) {
  GroupSGD sgd{accelerate("cnn"), here().group(), Sgd{.learning_rate = config.at("learning_rate")}};
  for (int i = 0; i < 200; ++i) sgd.step();
  here().report({{"loss", sgd.evaluate().loss}});
  std::array<float, 4> values{};
  here().all_reduce(std::span(values));
}

int main(int argc, char** argv) {
  register_function("train", train);
  init(argc, argv);
  const tune::Analysis analysis = tune::run(
      {.function = "train"},
      {.space = {{"learning_rate", tune::loguniform(1e-4, 1)}}, .num_samples = 12, .scheduler = tune::asha(9)});
  tune::Options options;
  options.space = {{"learning_rate", tune::uniform(0, 1)}};
  tune::run({.function = "train", .config = {{"a", 1}}}, options);
  std::cout << analysis << analysis.best().config << '\n';
  Trainer trainer{{.num_workers = {2, inf}, .placement = Placement::processes}};
  trainer.run("train", {{"x", 1}}, {.reports = {.every = 2}});
  DistributedSGD sgd{"cnn", {.num_workers = 2, .algorithm = LocalSgd{.steps = 4}}};
  sgd.load("w.safetensors", {.new_head = true});
  const double loss = sgd.step();
  std::cout << loss << '\n';
}
