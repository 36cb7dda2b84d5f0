#include <ATen/Parallel.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <random>

#include "torch/networks.hpp"
#include "troupe/init.hpp"
#include "troupe/sgd.hpp"
#include "troupe/torch.hpp"

// troupe-torch-bench: trains one of the networks of networks.hpp with random samples, and prints the samples per
// second as JSON. Without workers, trains it with libtorch alone, in this process.

namespace {

using troupe::TorchBatch;
using troupe::TorchDatasets;
using troupe::TorchLoss;
using namespace troupe_bench;

struct Settings {
  std::string network = "cnn";
  std::int64_t batch = 64;
  std::int64_t steps = 50;
  int workers = 2;
  bool in_process = false;
  bool bf16 = false;
  bool update = false;
};

constexpr std::int64_t kWarmUp = 5;

TorchDatasets samples_of(const std::string& network) {
  torch::manual_seed(1);
  if (network == "gpt") {
    const torch::Tensor text = torch::randint(Gpt::kSymbols, {2048, Gpt::kWindow + 1});
    return {.train = troupe::torch_tensors({text.slice(1, 0, Gpt::kWindow)}, text.slice(1, 1).contiguous())};
  }
  const std::int64_t samples = network == "cnn" ? 4096 : 256;
  const torch::Tensor images = network == "cnn" ? torch::rand({samples, 1, 28, 28}) : torch::rand({samples, 3, 64, 64});
  return {.train = troupe::torch_tensors({images}, torch::randint(10, {samples}))};
}

template <class Module>
torch::Tensor summed_loss(Module& module, const TorchBatch& batch) {
  namespace functional = torch::nn::functional;
  const auto options = functional::CrossEntropyFuncOptions().reduction(torch::kSum);
  const torch::Tensor outputs = module.forward(batch.inputs[0]).to(torch::kFloat);
  return functional::cross_entropy(outputs.flatten(0, -2), batch.targets.flatten(), options);
}

template <class Module>
TorchLoss loss_of(Module& module, const TorchBatch& batch) {
  return {summed_loss(module, batch), batch.targets.numel()};
}

/// Registers a network as a model. The text `config` of the run is the batch size.
template <class Module>
void register_network(const std::string& name) {
  troupe::register_model("module-" + name, [name](const troupe::ReplicaContext& context) {
    return troupe::torch_model<Module>(samples_of(name),
                                       {.batch_size = std::stoll(context.config), .loss = loss_of<Module>})(context);
  });
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print(const Settings& settings, double seconds, double copied) {
  const double samples = static_cast<double>(settings.batch * std::max(settings.workers, 1) * settings.steps);
  std::printf("{\"samples_per_second\": %.3f, \"step\": %.6f, \"bytes_copied\": %.0f}\n", samples / seconds,
              seconds / static_cast<double>(settings.steps), copied);
}

void train(const Settings& settings) {
  troupe::Options options;
  options.num_workers = settings.workers;
  options.placement = settings.in_process ? troupe::Placement::in_process : troupe::Placement::processes;
  options.config = std::to_string(settings.batch);
  options.verbose = false;
  options.compute.precision = settings.bf16 ? troupe::Precision::bf16 : troupe::Precision::f32;
  options.compute.precision_check = false;
  if (settings.network == "gpt")
    options.optimizer = troupe::AdamW{.learning_rate = 1e-3};
  else
    options.optimizer = troupe::Sgd{.learning_rate = 1e-3, .momentum = 0.9};
  troupe::DistributedSGD sgd("module-" + settings.network, options);
  for (std::int64_t step = 0; step < kWarmUp; ++step) sgd.step();
  std::int64_t copied = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t step = 0; step < settings.steps; ++step) copied = sgd.step().bytes_copied;
  print(settings, seconds_since(begin), static_cast<double>(copied));
}

/// Returns libtorch's optimizer with the settings of `train`.
std::unique_ptr<torch::optim::Optimizer> optimizer_of(const std::string& network, std::vector<torch::Tensor> weights) {
  if (network == "gpt") return std::make_unique<torch::optim::AdamW>(std::move(weights), 1e-3);
  return std::make_unique<torch::optim::SGD>(std::move(weights), torch::optim::SGDOptions(1e-3).momentum(0.9));
}

/// Forward and backward passes of libtorch alone; gradients stay where autograd puts them. With `update`, its optimizer
/// updates the weights after each pass.
template <class Module>
void run_alone(const Settings& settings) {
  at::set_num_threads(1);
  Module module;
  const auto optimizer = optimizer_of(settings.network, module.parameters());
  const TorchDatasets samples = samples_of(settings.network);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(settings.batch));
  std::mt19937_64 draw(1);  // other samples in each step: a maximum over known pixels is faster
  auto begin = std::chrono::steady_clock::now();
  for (std::int64_t step = -kWarmUp; step < settings.steps; ++step) {
    if (step == 0) begin = std::chrono::steady_clock::now();
    for (std::int64_t& number : numbers)
      number = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(samples.train.size));
    const TorchBatch batch = samples.train.read(numbers);
    for (torch::Tensor& parameter : module.parameters()) parameter.mutable_grad().reset();
    summed_loss(module, batch).backward();
    if (settings.update) optimizer->step();
  }
  print(settings, seconds_since(begin), 0);
}

}  // namespace

int main(int argc, char** argv) {
  register_network<Cnn>("cnn");
  register_network<ResNet18>("resnet18");
  register_network<Gpt>("gpt");
  troupe::init(argc, argv);
  Settings settings;
  CLI::App app("Measures modules of libtorch.");
  app.add_option("network", settings.network, "cnn, resnet18 or gpt")->required();
  app.add_option("--batch-size", settings.batch, "Samples of each worker and step");
  app.add_option("--steps", settings.steps, "Measured steps");
  app.add_option("--workers", settings.workers, "Workers; 0: libtorch alone");
  app.add_flag("--in-process", settings.in_process, "Workers in this process");
  app.add_flag("--bf16", settings.bf16, "Compute in bf16");
  app.add_flag("--update", settings.update, "Update the weights also without workers");
  CLI11_PARSE(app, argc, argv);
  if (settings.workers > 0)
    train(settings);
  else if (settings.network == "cnn")
    run_alone<Cnn>(settings);
  else if (settings.network == "resnet18")
    run_alone<ResNet18>(settings);
  else
    run_alone<Gpt>(settings);
}
