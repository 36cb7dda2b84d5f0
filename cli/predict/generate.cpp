#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "runtime/invalid.hpp"
#include "troupe/generator.hpp"

namespace troupe::cli {
namespace {

struct GenerateOptions {
  std::string load;
  std::string prompt;
  GenerationOptions generation;
  PredictorOptions computes;
};

void generate(const GenerateOptions& options) {
  const Generator generator(options.load, options.computes);
  std::string shown = options.prompt;
  const auto show = [&](const std::string& text) {
    std::fwrite(shown.data(), 1, shown.size(), stdout);
    std::fflush(stdout);
    shown = text;
  };
  generator.text(options.prompt, options.generation, show);
  show("\n");
  show("");
}

}  // namespace

void add_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App& command = *app.add_subcommand("generate", "Continue a text with a trained language model");
  GenerationOptions& generation = options->generation;
  command.add_option("--load", options->load, "File of weights, checkpoint or folder of checkpoints")->required();
  command.add_option("--prompt", options->prompt, "The text to continue")->required();
  command.add_option("--tokens", generation.tokens, "Number of tokens to generate")->check(whole_number(0));
  command.add_option("--temperature", generation.temperature,
                     "Below 1: likely tokens become likelier; 0: the likeliest");
  command.add_option("--top-k", generation.top_k, "Choose from this number of likeliest tokens; 0: from all")
      ->check(whole_number(0));
  command.add_option("--seed", generation.seed, "Seed of the random choices")->check(whole_number(0));
  add_predictor_options(command, options->computes);
  command.callback([options] { generate(*options); });
}

}  // namespace troupe::cli
