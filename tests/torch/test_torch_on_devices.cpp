#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "torch/modules.hpp"
#include "troupe/sgd.hpp"

// Modules on CUDA devices, in worker processes. Each case says so if libtorch has no CUDA, or finds no device.

// libtorch defines a macro with this name, too.
#undef CHECK
#define CHECK(...) DOCTEST_CHECK(__VA_ARGS__)

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr std::int64_t kStepsOnDevices = 20;

Options options_on(Device device, int workers = 2) {
  Options options;
  options.num_workers = workers;
  options.num_shards = 2;
  options.placement = Placement::processes;
  options.optimizer = Adam{.learning_rate = 0.005};
  options.compute = {.device = device, .precision_check = false};
  options.verbose = false;
  return options;
}

/// Returns the reason why modules cannot use a CUDA device here; empty if they can.
std::string obstacle() {
  try {
    const DistributedSGD sgd("torch-tokens", options_on(Device::cuda, 1));
    return "";
  } catch (const Error& error) {
    const std::string reason = error.message();
    const bool missing = reason.find("this libtorch has no CUDA") != std::string::npos ||
                         reason.find("libtorch finds no CUDA device") != std::string::npos;
    if (error.code() != ErrorCode::unsupported || !missing) throw;
    return reason;
  }
}

/// Returns whether modules can use a CUDA device here. If they cannot, prints the reason.
bool have_device() {
  static const std::string reason = obstacle();
  if (!reason.empty()) MESSAGE("skipped: " << reason);
  return reason.empty();
}

struct Trained {
  double first_loss = 0, last_loss = 0;
  std::int64_t bytes_over_bus = 0;  ///< of the last step
  std::vector<float> weights;
};

Trained train(const char* model, const Options& options) {
  DistributedSGD sgd(model, options);
  Trained trained;
  for (std::int64_t step = 0; step < kStepsOnDevices; ++step) {
    const StepReport report = sgd.step();
    if (step == 0) trained.first_loss = report.loss;
    trained.last_loss = report.loss;
    trained.bytes_over_bus = report.bytes_over_bus;
  }
  trained.weights = sgd.weights();
  return trained;
}

}  // namespace

TEST_CASE("modules learn on devices, with the same bits for any number of workers") {
  if (!have_device()) return;
  for (const char* const model : {"torch-images", "torch-tokens"}) {
    CAPTURE(model);
    const Trained trained = train(model, options_on(Device::cuda, 1));
    CHECK(trained.last_loss < 0.9 * trained.first_loss);
    CHECK(trained.bytes_over_bus > static_cast<std::int64_t>(2 * sizeof(float) * trained.weights.size()));
    CHECK(train(model, options_on(Device::cuda, 1)).weights == trained.weights);
    CHECK(train(model, options_on(Device::cuda, 2)).weights == trained.weights);
  }
}

TEST_CASE("a module on a device starts with the loss and the gradient of the CPU") {
  if (!have_device()) return;
  Options on_device = options_on(Device::cuda);
  Options on_cpu = options_on(Device::cpu);
  for (Options* const options : {&on_device, &on_cpu}) options->optimizer = Sgd{.learning_rate = 1};
  DistributedSGD device("torch-tokens", on_device);
  DistributedSGD cpu("torch-tokens", on_cpu);
  CHECK(device.weights() == cpu.weights());
  CHECK(device.step().loss == doctest::Approx(cpu.step().loss).epsilon(1e-5));
  const std::vector<float> of_device = device.weights();
  const std::vector<float> of_cpu = cpu.weights();
  for (std::size_t i = 0; i < of_cpu.size(); ++i) REQUIRE(std::abs(of_device[i] - of_cpu[i]) < 1e-5);
}

TEST_CASE("a module on a device resumes from a checkpoint, and its weights work on the CPU") {
  if (!have_device()) return;
  const TemporaryFolder folder;
  const Trained whole = train("torch-tokens", options_on(Device::cuda));
  Options options = options_on(Device::cuda);
  options.checkpoint = {.folder = folder / "checkpoints", .every_steps = kStepsOnDevices / 2};
  {
    DistributedSGD sgd("torch-tokens", options);
    while (sgd.steps_done() < kStepsOnDevices / 2) sgd.step();
  }
  options.checkpoint.resume = true;
  DistributedSGD sgd("torch-tokens", options);
  CHECK(sgd.steps_done() == kStepsOnDevices / 2);
  while (sgd.steps_done() < kStepsOnDevices) sgd.step();
  CHECK(sgd.weights() == whole.weights);
  sgd.save(folder / "weights");
  DistributedSGD cpu("torch-tokens", options_on(Device::cpu));
  cpu.load(folder / "weights");
  const Evaluation of_cpu = cpu.evaluate();
  const Evaluation of_device = sgd.evaluate();
  CHECK(of_device.loss == doctest::Approx(of_cpu.loss).epsilon(1e-4));
  CHECK(of_device.samples == of_cpu.samples);
}

TEST_CASE("a module on a device computes in bf16") {
  if (!have_device()) return;
  Options options = options_on(Device::cuda);
  options.compute.precision = Precision::bf16;
  const Trained trained = train("torch-images", options);
  CHECK(std::isfinite(trained.last_loss));
  CHECK(trained.last_loss < 0.9 * trained.first_loss);
}
