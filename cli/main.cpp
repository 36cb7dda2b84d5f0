#include "cli/commands.hpp"
#include "cli/launch.hpp"
#include "cli/program.hpp"

namespace {

constexpr const char* kExamples = R"(examples:
  troupe train                              the reference CNN on Fashion-MNIST
  troupe train --workers 2 --placement processes --save cnn.safetensors
  troupe train --model linear --data synthetic-linear --batch-size 0 --steps 400
  troupe train --model resnet18 --data mock-images:224 --steps 10 --profile
  troupe train --epochs 50 --checkpoint run --resume         resumes until done
  troupe checkpoint list run
  troupe tune --model cnn --space space.json --samples 12 --out search
  troupe evaluate --load cnn.safetensors
  troupe predict --load cnn.safetensors --image shoe.png
  troupe generate --load gpt.safetensors --prompt "In the beginning"
  troupe data show fashion-mnist --html data.html
  troupe report steps.jsonl --html run.html
  troupe certs init certs && troupe certs node certs alice bob
  troupe node --join 10.0.0.1:4000 --certs certs/alice       on each node, and
  troupe train --placement cluster --listen 10.0.0.1:4000 --nodes 2 \
      --certs certs/driver                         on the driver's machine

`troupe COMMAND --help` lists a command's options. Each command takes --config
FILE, a JSON object with the names of its options, such as {"workers": 2};
the command line wins. `--print-config` prints one with all options.

Exit status: 0; 1 after a failure; 2 for an invalid command line or
configuration; 130, 143 and 129 after Ctrl-C, SIGTERM and SIGHUP. `diff` and
`checkpoint verify` also end with 1 if they find differences or damage.)";

void add_commands(CLI::App& app, int& status) {
  troupe::cli::add_train(app, status);
  troupe::cli::add_tune(app, status);
  troupe::cli::add_evaluate(app);
  troupe::cli::add_predict(app);
  troupe::cli::add_generate(app);
  troupe::cli::add_data(app);
  troupe::cli::add_devices(app);
  troupe::cli::add_report(app);
  troupe::cli::add_diff(app, status);
  troupe::cli::add_checkpoint(app, status);
  troupe::cli::add_certs(app);
  troupe::cli::add_node(app);
  troupe::cli::add_nodes(app);
  troupe::cli::add_launch(app, status);
}

void register_names() {
  troupe::cli::register_profile();
  troupe::cli::register_trial();
}

}  // namespace

int main(int argc, char** argv) {
  return troupe::cli::run({.name = "troupe",
                           .description = "Troupe: distributed SGD on an actor runtime",
                           .examples = kExamples,
                           .register_names = register_names,
                           .add_commands = add_commands},
                          argc, argv);
}
