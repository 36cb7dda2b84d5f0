#pragma once

// The interface of models. Derive from Model for a model of your own; see troupe/models.hpp for ready-made models. A
// model needs two functions, for example:
//
//    struct Mine : troupe::Model {
//      troupe::ModelInfo prepare(const troupe::ReplicaContext&) override { return {.size = 3}; }
//      troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
//                                   std::span<float> gradient) override;
//    };

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// The set of samples that an evaluation uses: the test set or the validation set.
enum class EvaluationSet : std::uint8_t { test, validation };

/// Optional measurements of an evaluation, in addition to loss and accuracy. If a model does not support a requested
/// measurement, its result is empty. An example is the recall of a class if the data has targets instead of classes.
struct EvaluationOptions {
  /// If true, measures the confusion matrix: the number of samples for each pair of true class and predicted class.
  bool confusion = false;
  /// If above 0, measures the fraction of samples whose class is among the `top_k` largest outputs. 0 (default): not
  /// measured.
  int top_k = 0;
  /// If true, and the data has targets, measures the errors of the outputs (TargetMetrics).
  bool errors = false;
};

/// Maximum number of classes for a confusion matrix. If there are more classes, the evaluation throws Error
/// unsupported.
inline constexpr std::int64_t kMostConfusionClasses = 2048;
/// Maximum number of targets for which errors are measured. If there are more targets, the evaluation throws Error
/// unsupported.
inline constexpr std::int64_t kMostErrorTargets = 4096;

/// Identifies the contents of the weight buffer at `data`. In all calls of a model with the same `number`, this buffer
/// has the same contents. So a model that caches weights elsewhere, such as on an accelerator, need not read the buffer
/// again. The number applies only to the buffer at `data`, not to other weights that a wrapper model passes to an inner
/// model.
struct WeightsVersion {
  const float* data = nullptr;
  /// Number of the version. 0: unknown; the buffer may have any contents.
  std::uint64_t number = 0;

  /// Returns a version for the buffer `weights`, with a number that is new in this process. Pass the same version to
  /// all calls of a model until the contents of the buffer change.
  static WeightsVersion begin(std::span<const float> weights);

  bool operator==(const WeightsVersion&) const = default;
};

/// The shard, the step and the options of one call of a model.
struct ShardStep {
  int shard = 0;       ///< number of the shard, from 0 to num_shards - 1
  int num_shards = 1;  ///< number of shards; fixed for the whole run
  /// Number of steps committed so far.
  std::int64_t step = 0;
  /// Seed of the run. A model must draw its random numbers from (seed, shard, step) only.
  std::uint64_t seed = 0;
  EvaluationSet set = EvaluationSet::test;  ///< the set to evaluate; only for Model::evaluate
  EvaluationOptions measure = {};           ///< what to measure; only for Model::evaluate
  /// The version of the weights that are passed to the call. Default: unknown.
  WeightsVersion weights = {};
};

/// The kind of device on which replicas compute.
enum class Device : std::uint8_t {
  cpu,
  cuda,  ///< CUDA devices: of networks in programs that link troupe::cuda, and of modules of libtorch
};

/// The number format in which a model computes. Weights, gradients and their sums are floats (f32) in each case.
enum class Precision : std::uint8_t {
  f32,
  /// Mixed precision: activations and the factors of matrix products are bfloat16 numbers.
  bf16,
};

/// The time in seconds that the same part of a model's work takes in each number format. 0: the time was not measured.
struct PrecisionSeconds {
  double f32 = 0;
  double bf16 = 0;

  /// Returns true if both times were measured.
  bool known() const { return f32 > 0 && bf16 > 0; }
  /// Returns f32 if the measured time in bf16 is more than 1.1 times the time in f32, else bf16. The margin of 10% has
  /// two reasons. Work that is not measured is faster in bf16, because bf16 moves half the bytes. And on a busy
  /// machine, two measurements of the same work may differ by 10%.
  Precision faster() const { return bf16 > 1.1 * f32 ? Precision::f32 : Precision::bf16; }
};

/// The time that a model spent in all layers of one kind, and the number of their arithmetic operations. Work between
/// layers (conversion of the samples' layout, loss) is not included.
struct LayerTime {
  std::string kind;
  std::int64_t layers = 0;  ///< number of layers of this kind in the network
  double forward_seconds = 0;
  double backward_seconds = 0;
  /// Number of additions and multiplications of matrix products and convolutions in forward passes.
  double forward_flops = 0;
  /// Number of additions and multiplications of matrix products and convolutions in backward passes.
  double backward_flops = 0;
  /// True if this work runs at the same time as the layers of other kinds. If times of all kinds are added, this entry
  /// must be left out, because its time would count twice.
  bool beside = false;
};

/// Describes the replica that a creator makes, and contains those options of the run that the model may need.
struct ReplicaContext {
  int worker = 0;
  /// Number of the replica within its worker, from 0 to ComputeOptions::devices_per_worker - 1.
  int replica = 0;
  /// Numbers of the shards that the replica computes, including shards of other replicas that it may have to compute as
  /// a backup.
  std::vector<int> shards = {};
  int num_shards = 1;
  std::uint64_t seed = 0;
  Precision precision = Precision::f32;  ///< ComputeOptions::precision
  /// If true, and `precision` is bf16, the model may measure both number formats (ModelInfo::measured) and compute in
  /// the faster one. The run then chooses one format for all replicas. Replicas that use another format are created
  /// again, with precision_check set to false.
  bool precision_check = false;
  /// The text Options::config, unchanged. For the built-in models it is JSON.
  std::string config = {};
  Device device = Device::cpu;  ///< ComputeOptions::device
  int device_number = -1;       ///< ComputeOptions::device_number
  bool tf32 = false;            ///< ComputeOptions::tf32
  /// Number of the replica among all replicas of the run on its node, from 0 on.
  int place = 0;
  /// Number of replicas of this worker that compute at the same time. The remaining replicas of the worker compute
  /// afterwards.
  int replicas_at_a_time = 1;
  /// Number of threads that the replica may use so that all replicas of the run on its node together use its cores. The
  /// built-in networks compute on one thread, so their results do not depend on this number.
  int threads = 1;
  /// If true, layers that in training depend on the batch or on random numbers, such as batch-norm and dropout, compute
  /// as in evaluations. The statistics of these layers do not change.
  bool frozen = false;
  /// Returns true if the tensor with this name must not change (ParameterGroup::frozen). The gradient of a frozen
  /// tensor need not be written. If the function is empty, no tensor is frozen.
  std::function<bool(const std::string& tensor)> keeps = {};
};

/// The contribution of one shard to a step: the result of Model::gradient.
struct BatchResult {
  /// The value of `correct` if the model does not count correct samples.
  static constexpr std::int64_t kNotCounted = -1;

  /// Sum of the losses of the samples; not the mean.
  double loss_sum = 0;
  /// Number of samples whose losses were added; may be 0.
  std::int64_t samples = 0;
  /// Time in seconds during which the call of Model::gradient waited for its samples.
  double data_seconds = 0;
  /// Number of samples that could not be read. They are not part of `samples`.
  std::int64_t left_out = 0;
  /// Bytes copied between the host and an accelerator, in both directions.
  std::int64_t bytes_over_bus = 0;
  /// Number of samples that the model classified correctly; see Loss::is_hit.
  std::int64_t correct = kNotCounted;
  /// Bytes of gradients that the model copied to the flat gradient, because it did not compute them there.
  std::int64_t bytes_copied = 0;

  /// Adds the contribution `other` to this one.
  BatchResult& operator+=(const BatchResult& other);
};

/// Sums over the samples of a shard, from which the errors of one target are computed.
struct TargetSums {
  double squared_error = 0;   ///< the sum of (output - target)^2
  double absolute_error = 0;  ///< the sum of |output - target|
  /// Mean of the target over the samples.
  double mean = 0;
  double deviation = 0;  ///< the sum of (target - mean)^2
};

/// The contribution of one shard to an evaluation: the result of Model::evaluate. A model fills the members after
/// `samples` if ShardStep::measure requests them and the model supports them. A model must fill a member either for all
/// shards that have samples or for no shard.
struct EvaluationResult {
  double loss_sum = 0;
  std::int64_t correct = 0;  ///< samples that the model classified correctly; see Loss::is_hit
  std::int64_t samples = 0;
  /// Number of samples whose class is among the EvaluationOptions::top_k largest outputs.
  std::optional<std::int64_t> top_k_correct = {};
  /// The confusion matrix, row-major: number of samples for each true class (row) and predicted class (column).
  std::vector<std::int64_t> confusion = {};
  /// One element for each target of the data.
  std::vector<TargetSums> targets = {};
  /// One sum over the samples for each metric, in the order of ModelInfo::metrics. Filled in each evaluation.
  std::vector<double> metric_sums = {};
};

/// Name and shape of a tensor of the canonical weights. Its floats are row-major. In canonical order, all tensors lie
/// one after the other.
struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> shape;

  /// Returns the number of floats of the tensor.
  /// @throws Error invalid_argument for a negative length, or more floats than any memory can hold.
  std::size_t size() const;
};

/// Returns the number of floats of all tensors together.
std::size_t total_size(std::span<const TensorInfo> tensors);

/// The description of a model, returned by Model::prepare. Every member except `size` has a usable default.
struct ModelInfo {
  /// Number of floats of the flat vector, including padding.
  std::size_t size = 0;
  /// Number of floats at the start of the flat vector that the optimizer updates. The remaining floats are statistics,
  /// such as those of batch-norm, which Model::update_statistics updates. Must be a multiple of 32, or equal to `size`.
  /// 0 (default): the optimizer updates all floats.
  std::size_t learned_size = 0;
  /// The tensors of the canonical weights, for files and hashes: at most `size` floats together, with printable names.
  /// Empty (default): one tensor "weights" of `size` floats.
  std::vector<TensorInfo> tensors = {};
  /// A text that identifies the layout of the flat vector and everything else on which results depend bit by bit, such
  /// as libraries and devices. Replicas with different fingerprints cannot work together. Checkpoints contain the
  /// fingerprint. If a run resumes from a checkpoint with another fingerprint, the log has a warning.
  std::string fingerprint = "plain";
  /// The kind of device on which the model computes: ReplicaContext::device if the model supports it. Default: the CPU.
  /// If the replica is assigned to a CUDA device, and this is the CPU, the run ends with the error `unsupported`.
  Device device = Device::cpu;
  /// The number format that the model uses; f32 if the device supports nothing else.
  Precision precision = Precision::f32;
  /// Number of training samples; at least one for each shard. 0 (default): not defined.
  std::int64_t num_samples = 0;
  /// Number of steps until every shard has used each of its samples once. 0 (default): not defined.
  std::int64_t steps_per_epoch = 0;
  /// True if a step of the model takes only tens of microseconds. Such a replica has no thread of its own, because the
  /// thread would cost more time than it saves.
  bool lightweight = false;
  /// A description of the network, which Troupe writes into files of weights so that Predictor can load them. Only
  /// Troupe itself makes such descriptions. Empty (default): files do not describe the network.
  std::string network = {};
  /// The measured times, if ReplicaContext::precision_check is true and the model has measured them.
  PrecisionSeconds measured = {};
  /// Names of the metrics that each evaluation measures in addition to the loss. At most 64, without duplicates.
  std::vector<std::string> metrics = {};
  /// Names of the kinds of layers that make the training loss depend on more than weights and samples, such as
  /// "batch-norm, dropout". Empty (default): there are no such layers, or they are frozen.
  std::string batch_dependent = {};
  /// What the numbers of samples in results count (BatchResult::samples, EvaluationResult::samples), for reports:
  /// "samples" or, if a sample has a label for each of its positions, "tokens".
  std::string unit = "samples";
};

/// Returns the description of a model whose flat vector contains these tensors one after the other. The optimizer
/// updates all of them.
ModelInfo info_of(std::vector<TensorInfo> tensors);

/// Base class of models. An object of the class is one replica: it computes gradients over flat vectors of floats.
/// Weights and gradients are views of shared memory, so a model stores no weights of its own. Each flat or canonical
/// vector that a model receives starts at a multiple of 64 bytes. The same is true for the spans that
/// `update_statistics` receives.
///
/// One thread at a time uses a replica: always the thread that created it, unless the model is lightweight
/// (ModelInfo::lightweight). Several replicas run at the same time. A model may throw. If a model throws an Error, the
/// driver's call throws an Error with the same code and message, and adds the place. Any other exception becomes an
/// Error model_failed with the text of the exception. The next call of the driver uses the same replica again.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Calls `prepare` with `context`, and returns the description of the model. The worker of the replica calls `start`
  /// once, before any other function. If a model contains another model, it must start the other model with the same
  /// context.
  const ModelInfo& start(const ReplicaContext& context);

  /// Returns the description of the model. Defaults are replaced: `learned_size` is not 0, and `tensors` is not empty.
  /// @throws Error invalid_argument before `start`.
  const ModelInfo& info() const;

  /// Computes the gradient of the *sum* of the losses over the samples of shard `at.shard` at step `at.step`. Writes
  /// all `info().size` floats of `gradient`; padding must be zero. At the positions of statistics it writes sums over
  /// the samples instead of a gradient. `update_statistics` later receives the means of these sums.
  virtual BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) = 0;

  /// Computes new values of the statistics in a range of the flat vector. The range begins at `begin` and has as many
  /// floats as `mean`. `begin` is a multiple of 32; the end of the range is a multiple of 32 or the end of the vector.
  /// A model with statistics must override this function.
  /// @param begin first float of the range.
  /// @param mean the sums that all shards wrote for the range, added and divided by `samples`.
  /// @param samples samples of all shards.
  /// @param statistics the current values of the range.
  /// @param updated receives the new values of the range.
  /// @throws Error model_failed unless overridden.
  virtual void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                 std::span<const float> statistics, std::span<float> updated) const;

  /// Writes the first weights of a run to `weights`. The values must depend on the seed only. Default: zeros.
  virtual void initialize(std::span<float> weights, std::uint64_t seed);

  /// Evaluates shard `at.shard` of the set `at.set`, and returns its contribution to the evaluation. Also measures the
  /// values that `at.measure` requests, if the model supports them. Returns 0 samples if the model has no such set
  /// (default).
  virtual EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights);

  /// Converts the flat vector `weights` to canonical order. The conversion is a permutation that leaves out padding. It
  /// is used for the optimizer's vectors as well as for weights. Default: a copy.
  /// @throws Error model_mismatch unless overridden, if the sizes differ.
  virtual void to_canonical(std::span<const float> weights, std::span<float> canonical) const;
  /// Converts a vector in canonical order to a flat vector and sets padding to zero. Default: a copy.
  /// @throws Error model_mismatch unless overridden, if the sizes differ.
  virtual void from_canonical(std::span<const float> canonical, std::span<float> weights) const;

  /// Returns the times of all calls so far, with one entry for each kind of layer. Empty if the model does not measure
  /// times (default).
  virtual std::vector<LayerTime> profile() const { return {}; }

 protected:
  /// Prepares the model for a replica and returns its description. For a simple model, `return {.size = 3};` suffices.
  virtual ModelInfo prepare(const ReplicaContext& context) = 0;

 private:
  ModelInfo info_;
};

/// A function that makes a replica. It must not return null, and must be thread-safe.
using CreateModel = std::function<std::unique_ptr<Model>(const ReplicaContext&)>;

/// The source of a run's replicas: a callable, for placement in_process only, or the name of a registered model, for
/// all placements. The callable takes a ReplicaContext, or the numbers of worker and replica.
class ModelCreator {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  template <class F>
  requires std::is_invocable_r_v<std::unique_ptr<Model>, F&, const ReplicaContext&> ModelCreator(F create)
      : create_(std::move(create)) {}

  template <class F>
  requires std::is_invocable_r_v<std::unique_ptr<Model>, F&, int, int> ModelCreator(F create)
      : create_(
            [create = std::move(create)](const ReplicaContext& at) mutable { return create(at.worker, at.replica); }) {}

  ModelCreator(std::string name) : name_(std::move(name)) {}
  ModelCreator(const char* name) : name_(name) {}
  // NOLINTEND(google-explicit-constructor)

  /// Returns the name of the registered model. Empty if this object contains a callable.
  const std::string& name() const { return name_; }
  /// Returns the callable. Empty if this object contains a name.
  const CreateModel& function() const { return create_; }

 private:
  std::string name_;
  CreateModel create_;
};

/// Registers a creator under a name, so that worker processes can use it. Call register_model before `init`.
/// @throws Error invalid_argument if the name is taken.
void register_model(const std::string& name, CreateModel create);

}  // namespace troupe
