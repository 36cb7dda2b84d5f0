#include "bench/program/commands.hpp"
#include "cli/program.hpp"

namespace {

constexpr const char* kExamples = R"(examples:
  troupe-bench sync --parameters 44551209 --workers 4
  troupe-bench lbfgs --parameters 44551209 --workers 2
  troupe-bench allreduce --parameters 44551209 --workers 4 --strategy sharded
  troupe-bench data-plane --bytes 178204836
  troupe-bench transports --transport shared-memory --bytes 8 1048576
  troupe-bench checkpoint --parameters 44551209 --workers 4 --folder /var/tmp
  troupe-bench deaths --model cnn --workers 2 --deaths 100
  troupe-bench predict --model cnn --threads 2 --batch 256
  troupe-bench first-step --model resnet50 --data mock-images:224 --batch-size 8
  troupe-bench read --data images:photos/train,size=224
  troupe-bench trainer all-reduce --workers 4

`troupe-bench COMMAND --help` lists a command's options. Each command takes --config FILE, as those of `troupe` do.
Nodes of a measured cluster are this program, too: troupe-bench --troupe-join=HOST:PORT --troupe-certs=FOLDER.)";

void add_commands(CLI::App& app, int& /*status*/) {
  troupe::bench::add_sync(app);
  troupe::bench::add_lbfgs(app);
  troupe::bench::add_allreduce(app);
  troupe::bench::add_data_plane(app);
  troupe::bench::add_transports(app);
  troupe::bench::add_checkpoint(app);
  troupe::bench::add_deaths(app);
  troupe::bench::add_predict(app);
  troupe::bench::add_first_step(app);
  troupe::bench::add_read(app);
  troupe::bench::add_trainer(app);
}

}  // namespace

int main(int argc, char** argv) {
  return troupe::cli::run({.name = "troupe-bench",
                           .description = "Measures Troupe itself",
                           .examples = kExamples,
                           .register_names = troupe::bench::register_measured,
                           .add_commands = add_commands},
                          argc, argv);
}
