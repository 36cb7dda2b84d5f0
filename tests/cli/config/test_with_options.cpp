#include <doctest/doctest.h>

#include "actors/algorithms/known_algorithms.hpp"
#include "cli/commands.hpp"
#include "cli/config/config_keys.hpp"
#include "cli/program.hpp"

using troupe::cli::with_options;

TEST_CASE("messages of the library use the names of command-line options") {
  CLI::App app;
  int status = 0;
  troupe::cli::set_option_defaults(app);
  troupe::cli::add_train(app, status);
  const auto told = [&](const std::string& message) { return with_options(*app.get_subcommand("train"), message); };
  CHECK(told("num_workers is 0, at least 1 is needed") == "--workers is 0, at least 1 is needed");
  CHECK(told("Options::checkpoint.folder names it") == "--checkpoint names it");
  CHECK(told("lbfgs.freeze is for algorithm lbfgs") == "--freeze is for algorithm lbfgs");
  CHECK(told("go on with others (CheckpointOptions::reshard)") == "go on with others (--reshard)");
  CHECK(told("device_number is 1, and the device is the CPU") == "--device is 1, and the device is the CPU");
  CHECK(told("go on (checkpoint.resume), or not") == "go on (--resume), or not");
  CHECK(told("downpour.max_staleness is -5") == "--max-staleness is -5");
  CHECK(told("ssp.staleness is -1, local.steps 0") == "--staleness is -1, --local-steps 0");
  CHECK(told("local.outer.learning_rate is 0, lbfgs.warm_start") == "--outer-learning-rate is 0, --warm-start");
  for (const std::string& algorithm : troupe::algorithm_names())
    if (algorithm != "synchronous") CHECK(told(algorithm + ".warm_start is -1") == "--warm-start is -1");
  CHECK(told("LoadOptions::new_head takes what fits") == "--new-head takes what fits");
  // English words, quoted texts, paths and typed texts stay unchanged.
  for (const char* const text :
       {"momentum is not history, and a step is no loss", "column 'batch_size' has \"num_workers\" in it",
        "/tmp/num_workers/step_timeout", "none of weight_decay=NUMBER and other", "PyTorch's num_batches_tracked", ""})
    CHECK(told(text) == text);
}
