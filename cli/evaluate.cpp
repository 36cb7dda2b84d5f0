#include <memory>

#include "cli/commands.hpp"
#include "cli/run_options.hpp"

namespace troupe::cli {

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& evaluate = *app.add_subcommand("evaluate", "Measure saved weights on a test set");
  options->add_to(evaluate);
  evaluate.get_option("--load")->required();
  evaluate.callback([options] { print_evaluation("test", options->start().evaluate()); });
}

}  // namespace troupe::cli
