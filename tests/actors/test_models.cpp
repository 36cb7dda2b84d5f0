#include "actors/test_models.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "actors/optimizers/grouped_model.hpp"
#include "actors/optimizers/sign_rule.hpp"
#include "actors/repair/dying_model.hpp"
#include "actors/spoiled_model.hpp"
#include "actors/state/state_trial.hpp"
#include "actors/statistics_model.hpp"
#include "support/plain_tree.hpp"

using namespace troupe;

namespace troupe_test {

float noise(std::uint64_t shard, std::uint64_t step, std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ULL + shard * 0xD1B54A32D192ED03ULL + step * 0x8CB92BA72F3D8DD7ULL;
  x = (x ^ (x >> 32)) * 0xDA942042E4DD58B5ULL;
  return static_cast<float>(static_cast<std::int32_t>(x >> 32)) * 0x1p-31F;
}

std::int64_t samples_of(int shard) { return shard % 3 + 1; }

namespace {

/// Another thread may receive the signal a moment later, so this thread waits.
void signal_self(int signal) {
  ::kill(::getpid(), signal);
  for (;;) ::pause();
}

/// Fails as configured, at shard 1 in the third step or later. Otherwise the same as NoiseModel.
class FaultyModel : public NoiseModel {
 public:
  explicit FaultyModel(std::string fault) : NoiseModel(10), fault_(std::move(fault)) {}

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    const BatchResult result = NoiseModel::gradient(at, weights, gradient);
    if (at.shard != 1 || at.step < 2) return result;
    if (fault_ == "throw") throw std::runtime_error("out of luck");
    if (fault_ == "throw-int") throw 42;  // NOLINT(hicpp-exception-baseclass)
    if (fault_ == "nan") return {std::numeric_limits<double>::quiet_NaN(), 1};
    if (fault_ == "infinity") return {std::numeric_limits<double>::infinity(), 1};
    if (fault_ == "negative") return {1, -1};
    if (fault_ == "kill") signal_self(SIGKILL);
    if (fault_ == "stop") signal_self(SIGSTOP);
    if (fault_ == "exit") ::_exit(3);
    return result;
  }

 private:
  std::string fault_;
};

/// Cannot describe its weights.
class Undescribed : public NoiseModel {
 public:
  Undescribed() : NoiseModel(10) {}

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { throw std::runtime_error("no such luck"); }
};

/// Has tensors with one float each.
class ManyTensors : public NoiseModel {
 public:
  ManyTensors(std::size_t count, std::string name) : NoiseModel(count), name_(std::move(name)) {}

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    ModelInfo info = NoiseModel::prepare(context);
    for (std::size_t i = 0; i < info.size; ++i) info.tensors.push_back({name_ + std::to_string(i), {1}});
    return info;
  }

 private:
  std::string name_;
};

/// Reports the given number of samples.
class Sampled : public NoiseModel {
 public:
  explicit Sampled(std::int64_t samples) : NoiseModel(10), samples_(samples) {}

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 10, .num_samples = samples_}; }

 private:
  std::int64_t samples_;
};

/// Computes in the precision that its creator received.
class AsTold : public NoiseModel {
 public:
  explicit AsTold(Precision precision) : NoiseModel(10), precision_(precision) {}

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 10, .precision = precision_}; }

 private:
  Precision precision_;
};

std::unique_ptr<Model> make_faulty(const ReplicaContext& context) {
  const std::string& fault = context.config;
  const bool second = context.worker == 1 && context.replica == 0;
  if (second && fault == "describe-throws") return std::make_unique<Undescribed>();
  if (second && fault == "many-tensors") return std::make_unique<ManyTensors>(3'500, std::string(900, 'x'));
  if (second && fault == "odd-name") return std::make_unique<ManyTensors>(10, "\x1b[2J");
  if (second && fault == "creator-throws") throw std::runtime_error("no such luck");
  if (second && fault == "creator-null") return nullptr;
  if (second && fault == "creator-exits") ::_exit(5);
  if (second && fault == "other-size") return std::make_unique<NoiseModel>(11);
  if (second && fault == "other-tensors") return std::make_unique<ManyTensors>(10, "t");
  if (second && fault == "other-samples") return std::make_unique<Sampled>(100);
  if (second && fault == "no-samples") return std::make_unique<Sampled>(-3);
  return std::make_unique<FaultyModel>(fault);
}

std::unique_ptr<Model> make_weighed(const ReplicaContext& context) {
  std::istringstream numbers(context.config);
  PrecisionSeconds seconds;
  for (int worker = 0; worker <= context.worker; ++worker) numbers >> seconds.f32 >> seconds.bf16;
  return std::make_unique<WeighedModel>(seconds);
}

}  // namespace

void NoiseModel::initialize(std::span<float> weights, std::uint64_t seed) {
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = noise(seed, 0, i);
}

BatchResult NoiseModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const auto shard = static_cast<std::uint64_t>(at.shard);
  const auto step = static_cast<std::uint64_t>(at.step);
  for (std::size_t i = 0; i < size_; ++i) gradient[i] = noise(shard, step, i) + 0.1F * weights[i];
  return {static_cast<double>(gradient[0]), samples_of(at.shard)};
}

ModelInfo WeighedModel::prepare(const ReplicaContext& context) {
  ModelInfo info{.size = 7, .precision = context.precision};
  if (!context.precision_check) return info;
  info.measured = seconds_;
  info.precision = seconds_.faster();
  return info;
}

std::vector<float> plain_run(troupe::Model& model, int shards, int steps, double momentum, const PlainUpdate& update) {
  const std::size_t size = model.start({.num_shards = shards}).size;
  std::vector<float> weights(size);
  std::vector<float> velocity(size);
  model.initialize(weights, 1);
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<float>> gradients(static_cast<std::size_t>(shards), std::vector<float>(size));
    std::int64_t samples = 0;
    for (int shard = 0; shard < shards; ++shard)
      samples += model.gradient({shard, shards, step, 1}, weights, gradients[static_cast<std::size_t>(shard)]).samples;
    for (std::size_t i = 0; i < size; ++i) {
      const auto leaf = [&](std::size_t shard) { return gradients[shard][i]; };
      const float mean = plain_tree(leaf, 0, gradients.size()) / static_cast<float>(samples);
      velocity[i] = static_cast<float>(momentum) * velocity[i] + mean;
      weights[i] = update(i, weights[i], mean, velocity[i], samples);
    }
  }
  return weights;
}

std::vector<float> plain_noise_run(std::size_t size, int shards, int steps, double rate, double momentum) {
  NoiseModel model(size);
  return plain_run(model, shards, steps, momentum, [rate](std::size_t, float old, float, float velocity, std::int64_t) {
    return old - static_cast<float>(rate) * velocity;
  });
}

/// A network with dropout for flat values and for images.
std::unique_ptr<Model> make_dropping(const ReplicaContext& context) {
  using namespace models;
  return network(
      {conv2d(5, {.kernel = 3, .padding = 1}), dropout(0.3), relu(), flatten(), linear(20), dropout(), linear(4)},
      load_data("mock-images:12,4", context.seed), 6);
}

void register_models() {
  register_model(
      "noise", [](const ReplicaContext& context) { return std::make_unique<NoiseModel>(std::stoull(context.config)); });
  register_model("faulty", make_faulty);
  register_model("as-told", [](const ReplicaContext& context) { return std::make_unique<AsTold>(context.precision); });
  register_model("weighed", make_weighed);
  register_statistics_model();
  register_spoiled_model();
  register_dying_model();
  register_model("dropping", make_dropping);
  register_batches_model();
  register_grouped_model();
  register_sign_rule();
  register_model_function("first-weight", [](Model& model, std::span<const float> weights) {
    return std::to_string(model.info().size) + " " + std::to_string(weights.front());
  });
  register_model_function(
      "fails", [](Model&, std::span<const float>) -> std::string { throw std::runtime_error("this function fails"); });
  register_functions_with_argument();
  register_worker_function("takes-memory", [](const WorkerView&) {
    std::ofstream("/proc/self/oom_score_adj") << "1000";  // the kernel kills this process and not its driver
    std::vector<std::string> taken;
    while (taken.size() < 1000) taken.emplace_back(std::size_t{1} << 20, 'x');
    return std::string();
  });
  register_worker_function("who", [](const WorkerView& view) {
    return std::to_string(view.worker) + " " + std::to_string(view.models.size()) + " " +
           (view.pid == ::getpid() ? "here" : "elsewhere");
  });
}

void register_functions_with_argument() {
  register_model_function("echo", [](Model& model, std::span<const float>, const Json& arguments) {
    return Json{{"of", model.info().size}, {"got", arguments}};
  });
  register_worker_function("echo", [](const WorkerView& view, const Json& arguments) {
    return Json{{"of", view.worker}, {"got", arguments}};
  });
  register_worker_function("length", [](const WorkerView&, const Json& arguments) {
    return arguments.get_ref<const std::string&>().size();
  });
  register_worker_function("swallow", [](const WorkerView&, const Json&) {});
  register_worker_function("fails-with", [](const WorkerView&, const Json&) -> std::string {
    throw std::runtime_error("this function fails");
  });
}

void limit_files_as_told() {
  const char* const most = std::getenv(kFilesVariable);
  if (most == nullptr) return;
  const rlimit limit{std::stoul(most), std::stoul(most)};
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Options quiet_options(Placement placement, int workers) {
  Options options;
  options.fault_tolerance.max_failures = 0;  // errors must be visible
  options.num_workers = workers;
  options.placement = placement;
  options.verbose = false;
  return options;
}

std::chrono::milliseconds missed_by_none(Options options) {
  options.config = "10";
  DistributedSGD sgd("noise", options);
  return generous_deadline([&] {
    sgd.step();
    sgd.step();
  });
}

std::size_t socket_folders() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    if (entry.path().filename().string().starts_with("troupe-")) ++count;
  return count;
}

}  // namespace troupe_test
