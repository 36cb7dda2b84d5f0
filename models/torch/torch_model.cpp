#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/DeviceGuard.h>
#include <dlfcn.h>
#include <malloc.h>
#include <torch/autograd.h>
#include <torch/nn/functional/loss.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "models/files/network_text.hpp"
#include "models/torch/autocast.hpp"
#include "models/torch/flat_tensors.hpp"
#include "models/torch/module_tensors.hpp"
#include "models/torch/torch_data.hpp"
#include "models/torch/torch_device.hpp"
#include "models/torch/torch_errors.hpp"
#include "models/torch/torch_random.hpp"
#include "runtime/clock.hpp"
#include "runtime/hash.hpp"
#include "runtime/processes/page_lock.hpp"
#include "runtime/random.hpp"
#include "troupe/metric.hpp"
#include "troupe/torch.hpp"

namespace troupe {
namespace {

/// Returns a seed for a generator of libtorch, which depends on three numbers.
std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  const auto words = philox(seed, a, b);
  return std::uint64_t{words[0]} << 32 | words[1];
}

std::uint64_t seed_of(const ShardStep& at) {
  return mix(at.seed, static_cast<std::uint64_t>(at.shard), static_cast<std::uint64_t>(at.step));
}

std::uint64_t initial_seed(std::uint64_t seed) { return mix(seed, ~std::uint64_t{0}, 0); }

/// The loss of data of Troupe, and for tensors with integer targets.
TorchLoss default_loss(const torch::Tensor& outputs, const TorchBatch& batch) {
  namespace functional = torch::nn::functional;
  TorchLoss loss{{}, batch.size};
  if (!batch.targets.defined()) throw Error(ErrorCode::unsupported, "the data has no targets: set TorchOptions::loss");
  const torch::Tensor values = outputs.to(torch::kFloat);
  if (batch.targets.scalar_type() == torch::kLong) {
    if (values.dim() != 2)
      throw Error(ErrorCode::unsupported, "the outputs of the module have " + std::to_string(values.dim()) +
                                              " dimensions instead of {samples, classes}: set TorchOptions::loss");
    loss.sum =
        functional::cross_entropy(values, batch.targets, functional::CrossEntropyFuncOptions().reduction(torch::kSum));
    loss.correct = values.detach().argmax(1).eq(batch.targets).sum().item<std::int64_t>();
  } else {
    const torch::Tensor targets = batch.targets.to(torch::kFloat).view_as(values);
    loss.sum = functional::mse_loss(values, targets, functional::MSELossFuncOptions().reduction(torch::kNone))
                   .reshape({batch.size, -1})
                   .mean(1)
                   .sum();
  }
  return loss;
}

/// Returns the kinds of layers in a module that depend on the batch or on random numbers, by the names of their
/// classes.
std::string batch_dependent_kinds(const torch::nn::Module& module) {
  std::set<std::string> kinds;
  for (const auto& each : module.modules()) {
    const std::string name = each->name();
    if (name.find("BatchNorm") != std::string::npos) kinds.insert("batch-norm");
    for (const char* const random : {"Dropout", "RReLU"})
      if (name.find(random) != std::string::npos) kinds.insert("dropout");
  }
  std::string text;
  for (const std::string& kind : kinds) text += (text.empty() ? "" : ", ") + kind;
  return text;
}

std::string instruction_set() {
#if TORCH_VERSION_MAJOR >= 2
  return at::get_cpu_capability();
#else
  return __builtin_cpu_supports("avx512f") ? "AVX512" : __builtin_cpu_supports("avx2") ? "AVX2" : "default";
#endif
}

/// Returns a text that identifies everything in libtorch on which results depend bit by bit.
std::string fingerprint(int threads, c10::Device device, bool tf32) {
  const std::string config = at::show_config();
  const std::string built = sha256_hex(std::as_bytes(std::span(config))).substr(0, 16);
  return "libtorch-" TORCH_VERSION "-" + std::to_string(threads) + "-threads-" + built + "-" +
         (device.is_cpu() ? instruction_set()
          : tf32          ? "cuda-tf32"
                          : "cuda");
}

/// Sets the number of threads of libtorch in this thread. OpenBLAS, which libtorch may use, has its own number.
void use_threads(int threads) {
  at::set_num_threads(threads);
  using SetThreads = void (*)(int);
  if (auto* const set = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(threads);
}

/// Lets malloc of glibc keep freed memory, instead of returning it to the system after each pass. libtorch allocates
/// the same large tensors in each pass, and the system must fill the pages of new memory with zeros. Does nothing if
/// the user has set such a limit. Returns whether it was set here.
bool keep_freed_memory() {
  static const bool set = [] {
    for (const char* const variable : {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"})
      if (std::getenv(variable) != nullptr) return false;
    constexpr int kLargest = 1 << 30;
    return ::mallopt(M_MMAP_THRESHOLD, kLargest) == 1 && ::mallopt(M_TRIM_THRESHOLD, kLargest) == 1;
  }();
  return set;
}

/// Returns freed memory to the system, if malloc keeps it because of `keep_freed_memory`.
void return_freed_memory() {
  if (keep_freed_memory()) ::malloc_trim(0);
}

class TorchModel final : public Model {
 public:
  TorchModel(detail::MakeTorchReplica make, std::unique_ptr<TorchBatches> batches, int threads,
             std::vector<Metric> metrics)
      : make_(std::move(make)), batches_(std::move(batches)), threads_(threads), metrics_(std::move(metrics)) {}

  void initialize(std::span<float> weights, std::uint64_t seed) override {
    without_traces([&] {
      const TorchRandom random(initial_seed(seed));
      tensors_->from_module(tensors_of(*make_another().module), weights);
    });
  }

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    await_memory();
    return without_traces([&] { return pass(at, weights, gradient); });
  }

  void update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                         std::span<const float> statistics, std::span<float> updated) const override {
    for (std::size_t i = 0; i < mean.size(); ++i) updated[i] = statistics[i] + mean[i];
  }

  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) override {
    await_memory();
    return without_traces([&] { return evaluate_batches(at, weights); });
  }

  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override {
    tensors_->to_canonical(weights, canonical);
  }
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override {
    tensors_->from_canonical(canonical, weights);
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    return without_traces([&] { return make_module(context); });
  }

 private:
  ModelInfo make_module(const ReplicaContext& context) {
    context_ = context;
    device_ = torch_device(context);
    if (threads_ == 0) threads_ = context.threads;
    keep_freed_memory();
    use_threads(threads_);
    {
      const TorchRandom random(initial_seed(context.seed));
      replica_ = make_();
      if (!replica_.module) throw Error(ErrorCode::invalid_argument, "TorchOptions::make has returned no module");
      replica_.module->to(device_);
    }
    const ModuleTensors tensors = tensors_of(*replica_.module);
    tensors_.emplace(tensors, context.keeps, /*has_memory=*/!device_.is_cpu());
    for (const ModuleTensor& each : tensors.constants)
      constants_.push_back({each.tensor, each.tensor.detach().clone()});
    ModelInfo info{.size = tensors_->size(),
                   .learned_size = tensors_->learned_size(),
                   .tensors = infos_of(tensors),
                   .fingerprint = fingerprint(threads_, device_, context.tf32),
                   .device = context.device,
                   .precision = context.precision,
                   .num_samples = batches_->info().num_samples,
                   .steps_per_epoch = batches_->steps_per_epoch(context.num_shards),
                   .network = data_text()};
    for (const Metric& metric : metrics_) info.metrics.push_back(metric.name);
    if (!context.frozen) info.batch_dependent = batch_dependent_kinds(*replica_.module);
    return info;
  }

  /// Returns a description of the data for files of weights, for TorchPredictor; empty for tensors.
  std::string data_text() const {
    const DataInfo& data = batches_->info();
    if (data.shape.empty()) return "";
    const bool own_loss = static_cast<bool>(replica_.loss);
    return to_json({.model = "", .layers = {}, .data = data, .loss = own_loss ? "" : loss_of(data)->name()});
  }

  /// Returns the default loss.
  static std::shared_ptr<const Loss> loss_of(const DataInfo& data) {
    return data.num_classes > 0 ? losses::softmax_cross_entropy() : losses::mean_squared_error();
  }

  /// Makes another module than that of this replica.
  detail::TorchReplica make_another() const {
    detail::TorchReplica another = make_();
    if (another.module == replica_.module)
      throw Error(ErrorCode::invalid_argument,
                  "TorchOptions::make returns the same module twice: it must make a new one");
    return another;
  }

  /// Prepares the module for a pass. In the first pass of each kind (training or evaluation), tries out another module,
  /// to find out whether the module writes to its parameters: those of `replica_` are mapped read-only, so a write
  /// would end the process. Writes through Tensor::data() are not found.
  void begin_pass(TorchBatch& batch, const ShardStep& at, std::span<const float> weights, bool training) {
    to_device(batch);
    use_weights(at, weights);
    if (!checked_[training]) try_out(batch, training);
    if (writes_inputs_)
      for (torch::Tensor& input : batch.inputs) input = input.clone();
    replica_.module->train(training);
  }

  void use_weights(const ShardStep& at, std::span<const float> weights) {
    const torch::NoGradGuard no_grad;
    for (const auto& [tensor, value] : constants_) tensor.copy_(value);
    tensors_->use_weights(weights, at.weights.data == weights.data() ? at.weights : WeightsVersion{});
  }

  /// Waits until new memory for weights and gradients is locked, if a device copies from and to it.
  void await_memory() const {
    if (!device_.is_cpu()) await_page_locks();
  }

  void to_device(TorchBatch& batch) {
    if (device_.is_cpu()) return;
    for (torch::Tensor& input : batch.inputs) to_device(input);
    if (batch.targets.defined()) to_device(batch.targets);
  }

  void to_device(torch::Tensor& tensor) {
    batch_bytes_over_bus_ += static_cast<std::int64_t>(tensor.nbytes());
    tensor = tensor.to(device_);
  }

  /// Returns the number of bytes of batches, weights and gradients that were copied between the host and the device
  /// since the last call.
  std::int64_t take_bytes_over_bus() {
    return std::exchange(batch_bytes_over_bus_, 0) + tensors_->take_bytes_over_bus();
  }

  void check_module(TorchBatch batch, bool training) {
    for (torch::Tensor& input : batch.inputs) input = input.clone();
    const TorchRandom random(0, device_);
    const detail::TorchReplica trial = make_another();
    trial.module->to(device_);
    trial.module->train(training);
    std::vector<std::int64_t> versions;
    for (const auto& each : trial.module->named_parameters()) versions.push_back(each.value()._version());
    pass_of(trial, batch);
    for (std::size_t i = 0; const auto& each : trial.module->named_parameters())
      if (static_cast<std::int64_t>(each.value()._version()) != versions.at(i++))
        throw Error(ErrorCode::model_failed, "the module's forward writes to its parameter '" + each.key() +
                                                 "', but only steps may change parameters");
    writes_inputs_ = writes_inputs_ ||
                     std::ranges::any_of(batch.inputs, [](const torch::Tensor& input) { return input._version() > 0; });
    checked_[training] = true;
  }

  /// Calls check_module. Before and after it, returns freed memory to the system: that of the weights with which the
  /// module was made, and that of the other module.
  void try_out(const TorchBatch& batch, bool training) {
    return_freed_memory();
    check_module(batch, training);
    return_freed_memory();
  }

  BatchResult pass(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
    take_bytes_over_bus();  // of evaluations
    const c10::OptionalDeviceGuard guard(device_);
    const Stopwatch waiting;
    TorchBatches::Read read = read_batch(at, [&] { return batches_->training_batch(at); });
    BatchResult result{.data_seconds = waiting.seconds(), .left_out = read.left_out};
    if (read.batch.size == 0) {
      std::ranges::fill(gradient, 0.0F);
      return result;
    }
    begin_pass(read.batch, at, weights, !context_.frozen);
    const TorchRandom random(seed_of(at), device_);
    tensors_->use_gradient(gradient);
    const TorchLoss loss = pass_of(replica_, read.batch).loss;
    if (!loss.sum.requires_grad())
      throw Error(ErrorCode::model_failed, "the loss does not depend on the parameters of the module");
    if (context_.precision == Precision::bf16 && device_.is_cpu()) tensors_->take_casts(loss.sum);
    torch::autograd::backward({loss.sum}, {});
    result.bytes_copied = tensors_->complete_gradient(gradient, loss.count);
    result.bytes_over_bus = take_bytes_over_bus();
    result.loss_sum = loss.sum.item<double>();
    result.samples = loss.count;
    result.correct = loss.correct;
    return result;
  }

  /// Calls `read`. Random numbers that a dataset draws with libtorch depend on the step and the shard only.
  template <class Read>
  static TorchBatches::Read read_batch(const ShardStep& at, const Read& read) {
    const TorchRandom random(mix(seed_of(at), 1, 0));
    return read();
  }

  struct Passed {
    TorchLoss loss;
    torch::Tensor outputs;  ///< undefined if TorchOptions::loss is set
  };

  /// Makes a forward pass in the precision of the run.
  Passed pass_of(const detail::TorchReplica& replica, const TorchBatch& batch) const {
    const Autocast autocast(context_.precision == Precision::bf16, device_.type());
    Passed passed;
    if (replica.loss) {
      passed.loss = replica.loss(batch);
    } else {
      passed.outputs = outputs_of(replica, batch);
      passed.loss = default_loss(passed.outputs, batch);
    }
    if (!passed.loss.sum.defined() || passed.loss.sum.numel() != 1)
      throw Error(ErrorCode::model_failed, "the loss of a batch is not one number");
    if (passed.loss.count < 0) throw Error(ErrorCode::model_failed, "the loss of a batch has a negative count");
    return passed;
  }

  static torch::Tensor outputs_of(const detail::TorchReplica& replica, const TorchBatch& batch) {
    if (!replica.outputs)
      throw Error(ErrorCode::unsupported, "the module has no function forward: set TorchOptions::loss");
    return replica.outputs(batch);
  }

  EvaluationResult evaluate_batches(const ShardStep& at, std::span<const float> weights) {
    EvaluationResult sum;
    const torch::NoGradGuard no_grad;
    const c10::OptionalDeviceGuard guard(device_);
    SampleMetrics metrics(batches_->info(), at.measure, metrics_);
    for (std::int64_t index = 0;; ++index) {
      TorchBatches::Read read = read_batch(at, [&] { return batches_->test_batch(at, index); });
      if (read.batch.size == 0 && read.left_out > 0) continue;
      if (read.batch.size == 0) break;
      begin_pass(read.batch, at, weights, /*training=*/false);
      const TorchRandom random(seed_of(at) + static_cast<std::uint64_t>(index), device_);
      TorchBatch inputs_again = read.batch;
      const bool again = replica_.loss && metrics.any();
      if (again && writes_inputs_)
        for (torch::Tensor& input : inputs_again.inputs) input = input.clone();
      const Passed passed = pass_of(replica_, read.batch);
      sum.loss_sum += passed.loss.sum.item<double>();
      sum.samples += passed.loss.count;
      sum.correct += std::max<std::int64_t>(passed.loss.correct, 0);
      if (metrics.any()) add_to(metrics, read, again ? outputs_of(replica_, inputs_again) : passed.outputs);
    }
    metrics.write_to(sum);
    return sum;
  }

  /// Adds the samples of a batch to metrics.
  void add_to(SampleMetrics& metrics, const TorchBatches::Read& read, const torch::Tensor& outputs) const {
    const DataInfo& info = batches_->info();
    if (info.labels_per_sample > 1)
      throw Error(ErrorCode::unsupported,
                  "metrics need one label per sample, but this data has " + std::to_string(info.labels_per_sample));
    const torch::Tensor rows = outputs.to(torch::kCPU, torch::kFloat).contiguous().view({read.batch.size, -1});
    const auto width = static_cast<std::size_t>(rows.size(1));
    const auto targets = static_cast<std::size_t>(info.num_targets);
    const auto loss = loss_of(info);
    for (std::size_t i = 0; i < static_cast<std::size_t>(read.batch.size); ++i) {
      Target target;
      if (info.num_classes > 0)
        target.label = read.samples.labels[i];
      else
        target.values = read.samples.targets.subspan(i * targets, targets);
      metrics.add(*loss, {rows.data_ptr<float>() + i * width, width}, target);
    }
  }

  detail::MakeTorchReplica make_;
  std::unique_ptr<TorchBatches> batches_;
  int threads_;
  std::vector<Metric> metrics_;
  ReplicaContext context_;
  c10::Device device_ = c10::kCPU;
  detail::TorchReplica replica_;
  std::optional<FlatTensors> tensors_;
  std::int64_t batch_bytes_over_bus_ = 0;
  std::vector<std::pair<torch::Tensor, torch::Tensor>>
      constants_;                  ///< ModuleTensors::constants, and their first values
  std::array<bool, 2> checked_{};  ///< whether the module was tried out in evaluations, and in training
  bool writes_inputs_ = false;     ///< the module changes its inputs, which are views of memory that is used again
};

}  // namespace

CreateModel detail::create_torch_model(MakeTorchReplica make, TorchData data, std::int64_t batch_size, int threads,
                                       std::vector<Metric> metrics) {
  if (threads < 0) throw Error(ErrorCode::invalid_argument, "TorchOptions::threads is below 0");
  return [=](const ReplicaContext& context) -> std::unique_ptr<Model> {
    return std::make_unique<TorchModel>(make, torch_batches(data, batch_size, context.seed), threads, metrics);
  };
}

}  // namespace troupe
