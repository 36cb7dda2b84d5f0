// A training loop of the user. `train` is code for one thread, except for two marked lines. Line 1 selects the rows of
// this rank, and line 2 averages the gradients of all ranks. The function runs alone, as rank 0 of 1, and on the
// workers of a Trainer, in processes of this machine. Both runs find the coefficients 5 3 2 1.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <span>
#include <troupe/eigen.hpp>
#include <troupe/troupe.hpp>
#include <vector>

namespace {

using namespace troupe::eigen;

troupe::Json train(const troupe::Json& config) {
  const troupe::Samples rows = troupe::here().dataset().shard().all();  // 1: shard() selects this rank's rows
  const auto x = values(rows);
  const auto y = targets(rows);
  const auto features = static_cast<std::size_t>(x.cols());
  Column weights = Column::Zero(x.cols());
  for (int epoch = 0; epoch < config.at("epochs"); ++epoch) {
    const Column error = x * weights - y;
    Column gradient = 2.0F / static_cast<float>(rows.count) * x.transpose() * error;
    troupe::here().all_reduce(std::span(gradient.data(), features), troupe::ReduceOp::mean);  // 2: mean over all ranks
    weights -= config.at("lr").get<float>() * gradient;
    troupe::here().report({{"epoch", epoch}, {"loss", error.squaredNorm() / static_cast<float>(rows.count)}});
  }
  return std::vector(weights.begin(), weights.end());
}

void print(const char* where, const troupe::Json& weights) {
  std::printf("%-24s", where);
  for (const double weight : weights) std::printf(" %.4f", weight);
  std::printf("\n");
}

/// A callback of the user that prints the loss every 100 epochs.
struct EveryHundred : troupe::Callback {
  void on_report(const troupe::Report& report) override {
    if (report.iteration % 100 == 0)
      std::printf("epoch %3lld: loss %.6f\n", static_cast<long long>(report.iteration),
                  report.metrics.at("loss").get<double>());
  }
};

bool near(const troupe::Json& weights) {
  constexpr double kTrue[] = {5, 3, 2, 1};
  for (std::size_t i = 0; i < 4; ++i)
    if (std::abs(weights.at(i).get<double>() - kTrue[i]) > 0.01) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_function("train", train);
  troupe::init(argc, argv);  // worker processes run this program and never return from init
  const troupe::Json config = {{"lr", 0.05}, {"epochs", 400}};

  const troupe::StandaloneContext alone({.config = config, .dataset = troupe::load_data("synthetic-linear")});
  const troupe::Json by_itself = train(config);
  print("by itself:", by_itself);

  troupe::Trainer trainer{{.num_workers = 4, .placement = troupe::Placement::processes}};
  std::cout << trainer << std::flush;
  const auto result =
      trainer.run("train", config, {.dataset = "synthetic-linear", .callbacks = {std::make_shared<EveryHundred>()}});
  print("on 4 worker processes:", result[0].json);
  return near(by_itself) && near(result[3].json) ? 0 : 1;
} catch (const troupe::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
