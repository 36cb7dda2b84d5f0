#include <iostream>

#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "troupe/sgd.hpp"

namespace {

constexpr const char* kExamples = R"(examples:
  troupe train                                    the reference CNN on Fashion-MNIST, two epochs
  troupe train --workers 2 --placement processes --epochs 5 --save cnn.safetensors
  troupe train --model linear --data synthetic-linear --workers 4 --batch-size 0 --steps 400
  troupe evaluate --load cnn.safetensors
  troupe bench sync --parameters 44551209 --workers 4

`troupe COMMAND --help` lists a command's options. Each command takes --config FILE, a JSON object with the names of
its options, such as {"workers": 2, "placement": "processes"}; what is typed wins.)";

int run(int argc, char** argv) {
  CLI::App app("Troupe: distributed SGD on an actor runtime");
  app.name("troupe");
  app.require_subcommand(1);
  app.footer(kExamples);
  app.set_version_flag("--version", TROUPE_VERSION);
  app.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  troupe::cli::add_train(app);
  troupe::cli::add_evaluate(app);
  troupe::cli::add_bench(app);
  try {
    auto arguments = troupe::cli::expand_config(app, {argv + 1, argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(arguments);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    troupe::cli::register_bench_models();
    troupe::init(argc, argv);
    return run(argc, argv);
  } catch (const troupe::Error& error) {
    std::cerr << "troupe: " << troupe::to_string(error.code()) << ": " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "troupe: " << error.what() << '\n';
  }
  return 1;
}
