#include <fcntl.h>

#include <cstdio>
#include <iostream>
#include <new>

#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "cli/launch.hpp"
#include "runtime/processes/limits.hpp"
#include "troupe/sgd.hpp"

namespace {

constexpr const char* kExamples = R"(examples:
  troupe train                                    the reference CNN on Fashion-MNIST, two epochs
  troupe train --workers 2 --placement processes --epochs 5 --save cnn.safetensors
  troupe train --model linear --data synthetic-linear --workers 4 --batch-size 0 --steps 400
  troupe train --model resnet18 --data mock-images:224 --steps 10 --batch-size 8 --precision bf16 --profile
  troupe evaluate --load cnn.safetensors
  troupe bench sync --parameters 44551209 --workers 4
  troupe certs init certs && troupe certs node certs alice bob
  troupe node --join 10.0.0.1:4000 --certs certs/alice         on each node, and on the driver's machine:
  troupe train --placement cluster --listen 10.0.0.1:4000 --nodes 2 --workers 2 --certs certs/driver

`troupe COMMAND --help` lists a command's options. Each command takes --config FILE, a JSON object with the names of
its options, such as {"workers": 2, "placement": "processes"}; what is typed wins.)";

/// Opens what the caller closed of standard input, output and error, such that its use fails: else the next sockets
/// would get these numbers, and what is printed would go to them.
void keep_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

void check_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    throw troupe::Error(troupe::ErrorCode::system, "cannot write to standard output");
}

std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const auto unexpected = app.remaining(true);
  if (command->get_require_subcommand_min() > 0 && !unexpected.empty())
    return "no command named '" + unexpected.front() + "'";
  return error.what();
}

/// The exit status.
int run(int argc, char** argv) {
  int status = 0;
  CLI::App app("Troupe: distributed SGD on an actor runtime");
  app.name("troupe");
  app.require_subcommand(1);
  app.footer(kExamples);
  app.set_version_flag("--version", TROUPE_VERSION);
  app.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  troupe::cli::add_train(app);
  troupe::cli::add_evaluate(app);
  troupe::cli::add_bench(app);
  troupe::cli::add_certs(app);
  troupe::cli::add_node(app);
  troupe::cli::add_nodes(app);
  troupe::cli::add_launch(app, status);
  try {
    auto arguments = troupe::cli::expand_config(app, {argv + 1, argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(arguments);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    throw troupe::Error(troupe::ErrorCode::invalid_argument, describe(app, error) + "; --help lists what there is");
  }
  check_output();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    keep_standard_streams();
    troupe::cli::register_bench_models();
    troupe::cli::register_profile();
    troupe::init(argc, argv);
    return run(argc, argv);
  } catch (const troupe::Error& error) {
    std::cerr << "troupe: " << troupe::to_string(error.code()) << ": " << error.what() << '\n';
  } catch (const std::bad_alloc&) {
    std::cerr << "troupe: limit_reached: " << troupe::no_memory("memory was refused").what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "troupe: " << error.what() << '\n';
  }
  return 1;
}
