#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/run_options.hpp"

namespace troupe::cli {

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& evaluate = *app.add_subcommand("evaluate", "Measure saved weights on a test set");
  options->add_to(evaluate);
  evaluate.get_option("--load")->required();
  evaluate.callback([options] {
    const Evaluation test = options->start().evaluate();
    std::printf("test loss %.6f\ntest accuracy %.4f\n", test.loss, test.accuracy);
  });
}

}  // namespace troupe::cli
