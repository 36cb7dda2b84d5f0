#pragma once

// The interface of models. Derive from Model for a model of your own; see troupe/models.hpp for ready-made models.
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

/// The set of samples that an evaluation uses.
enum class EvaluationSet : std::uint8_t { test, validation };

/// Optional measurements of an evaluation, in addition to loss and accuracy. Results that the model does not support,
/// such as the recall of a class for data with targets, are empty.
struct EvaluationOptions {
  /// The confusion matrix: samples by true class and predicted class.
  bool confusion = false;
  /// The fraction of samples with their class among the `top_k` largest outputs. 0 (default): not measured.
  int top_k = 0;
  /// For data with targets: the errors of the outputs.
  bool errors = false;
};

/// Maximum number of classes for a confusion matrix. More are an Error unsupported.
inline constexpr std::int64_t kMostConfusionClasses = 2048;
/// Maximum number of targets for errors. More are an Error unsupported.
inline constexpr std::int64_t kMostErrorTargets = 4096;

/// Identifies the contents of a weight buffer. In all calls with the same number, the buffer at `data` has the same
/// contents. So a model that caches weights elsewhere, such as on an accelerator, need not read them again. Applies
/// only to the buffer at `data`, not to other weights that a wrapper passes to an inner model.
struct WeightsVersion {
  const float* data = nullptr;
  /// 0: unknown; the buffer may have any contents.
  std::uint64_t number = 0;

  /// Returns a version for these weights, with a number that is new in this process. Pass the same version to all calls
  /// until the weights change.
  static WeightsVersion begin(std::span<const float> weights);

  bool operator==(const WeightsVersion&) const = default;
};

/// The shard of the data and the step of a call of a model.
struct ShardStep {
  int shard = 0;       ///< 0 .. num_shards - 1
  int num_shards = 1;  ///< fixed for the whole run
  /// Steps committed so far.
  std::int64_t step = 0;
  /// Seed of the run. Draw random numbers from (seed, shard, step) only.
  std::uint64_t seed = 0;
  EvaluationSet set = EvaluationSet::test;  ///< for evaluations only
  EvaluationOptions measure = {};           ///< for evaluations only
  /// The version of the weights that are passed. Empty: unknown.
  WeightsVersion weights = {};
};

/// The kind of device on which replicas compute.
enum class Device : std::uint8_t {
  cpu,
  cuda,  ///< CUDA devices, in programs that link troupe::cuda
};

/// The number format of computations. Weights, gradients and their sums are always floats (f32).
enum class Precision : std::uint8_t {
  f32,
  /// Mixed precision: activations and the operands of matrix products are bfloat16.
  bf16,
};

/// The time in seconds that the same part of a model's work takes in each number format. 0: not measured.
struct PrecisionSeconds {
  double f32 = 0;
  double bf16 = 0;

  /// Returns true if both times were measured.
  bool known() const { return f32 > 0 && bf16 > 0; }
  /// Returns f32 if bf16 takes more than 1.1 times as long, else bf16. The margin of 10% has two reasons. In the part
  /// of the work that is not measured, bf16 needs less time, because it moves half the bytes. And on a busy machine two
  /// measurements of the same work may differ by 10%.
  Precision faster() const { return bf16 > 1.1 * f32 ? Precision::f32 : Precision::bf16; }
};

/// The time that a model spent in layers of one kind, and the number of their arithmetic operations. Work between
/// layers (sample layout, loss) is not included.
struct LayerTime {
  std::string kind;
  std::int64_t layers = 0;  ///< number of layers of this kind in the network
  double forward_seconds = 0;
  double backward_seconds = 0;
  /// Additions and multiplications of matrix products and convolutions.
  double forward_flops = 0;
  /// Likewise, in backward passes.
  double backward_flops = 0;
  /// True if these layers run at the same time as layers of other kinds. Sums of times over all kinds must leave out
  /// such an entry.
  bool beside = false;
};

/// Describes the replica that a creator makes, and contains the options of its run.
struct ReplicaContext {
  int worker = 0;
  /// Number of the replica within its worker, from 0 to ComputeOptions::devices_per_worker - 1.
  int replica = 0;
  /// The shards of this replica, and shards of others that it may have to compute as a backup.
  std::vector<int> shards = {};
  int num_shards = 1;
  std::uint64_t seed = 0;
  Precision precision = Precision::f32;  ///< ComputeOptions::precision
  /// With bf16: if true, the model may measure the benefit of bf16 (ModelInfo::measured) and compute in the faster
  /// format. The run then chooses one format for all replicas. Replicas that use another format are created again, with
  /// false.
  bool precision_check = false;
  /// Options::config, unchanged (JSON for the built-in models).
  std::string config = {};
  Device device = Device::cpu;  ///< ComputeOptions::device
  int device_number = -1;       ///< ComputeOptions::device_number
  bool tf32 = false;            ///< ComputeOptions::tf32
  /// Number of the replica among the run's replicas on its node.
  int place = 0;
  /// Number of replicas of this worker that compute at the same time; the other replicas wait for them.
  int replicas_at_a_time = 1;
  /// If true, layers that depend on the batch or on random numbers in training, such as batch-norm and dropout, compute
  /// as in evaluations. Their statistics do not change.
  bool frozen = false;
  /// Returns true if the tensor with this name must not change (ParameterGroup::frozen). The gradient of such a tensor
  /// need not be written. An empty function: there are no such tensors.
  std::function<bool(const std::string& tensor)> keeps = {};
};

/// The contribution of one shard to a step.
struct BatchResult {
  /// The value of `correct` if the model does not count correct samples.
  static constexpr std::int64_t kNotCounted = -1;

  /// Sum of the losses over the samples; not the mean.
  double loss_sum = 0;
  /// Number of samples in the sum; may be 0.
  std::int64_t samples = 0;
  /// Time in seconds that the call took to obtain its samples.
  double data_seconds = 0;
  /// Samples that could not be read; they are not part of `samples`.
  std::int64_t left_out = 0;
  /// Bytes copied between the host and an accelerator, in both directions.
  std::int64_t bytes_over_bus = 0;
  /// Samples that the model classified correctly; see Loss::is_hit.
  std::int64_t correct = kNotCounted;

  /// Adds another contribution.
  BatchResult& operator+=(const BatchResult& other);
};

/// Sums over the samples of a shard. The errors of one target are computed from these sums.
struct TargetSums {
  double squared_error = 0;   ///< the sum of (output - target)^2
  double absolute_error = 0;  ///< the sum of |output - target|
  /// Mean of the target.
  double mean = 0;
  double deviation = 0;  ///< the sum of (target - mean)^2
};

/// The contribution of one shard to an evaluation. The members after `samples` are filled if ShardStep::measure
/// requests them and the model supports them. A model must fill a member either for all shards that have samples or for
/// no shard.
struct EvaluationResult {
  double loss_sum = 0;
  std::int64_t correct = 0;  ///< samples that the model classified correctly; see Loss::is_hit
  std::int64_t samples = 0;
  /// Samples with their class among the top_k largest outputs.
  std::optional<std::int64_t> top_k_correct = {};
  /// Samples by true class (row) and predicted class (column), row-major.
  std::vector<std::int64_t> confusion = {};
  /// One for each target.
  std::vector<TargetSums> targets = {};
  /// Sums over the samples, in the order of ModelInfo::metrics. Always filled.
  std::vector<double> metric_sums = {};
};

/// A named tensor of the canonical weights, row-major. The tensors lie one after the other in canonical order.
struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> shape;

  /// Returns the number of floats.
  /// @throws Error invalid_argument for a negative length, or more floats than any memory can hold.
  std::size_t size() const;
};

/// Returns the number of floats of all tensors.
std::size_t total_size(std::span<const TensorInfo> tensors);

/// The description of a model, returned by Model::prepare. Every member except `size` has a usable default.
struct ModelInfo {
  /// Number of floats of the flat vectors, including padding.
  std::size_t size = 0;
  /// Number of floats at the start of the flat vector that the optimizer updates. The other floats are statistics of
  /// the data, such as those of batch-norm; Model::update_statistics updates them. A multiple of 32, unless it is
  /// `size`. 0 (default): all floats are learned.
  std::size_t learned_size = 0;
  /// The canonical weights, for files and hashes: at most `size` floats, in tensors with printable names. Empty
  /// (default): one tensor "weights" of `size` floats.
  std::vector<TensorInfo> tensors = {};
  /// Identifies the layout of the flat vector and everything else that results depend on bit by bit, such as libraries
  /// and devices. Replicas with different fingerprints cannot work together. Checkpoints store it; if a run resumes
  /// with another fingerprint, the log has a warning.
  std::string fingerprint = "plain";
  /// The number format that the model uses; f32 if the device supports nothing else.
  Precision precision = Precision::f32;
  /// Number of training samples. Every shard needs at least one. 0 (default): not defined.
  std::int64_t num_samples = 0;
  /// Steps until every shard has used each of its samples once. 0 (default): not defined.
  std::int64_t steps_per_epoch = 0;
  /// True if a step of the model takes only tens of microseconds. Running such a replica on a thread of its own would
  /// cost more time than it saves.
  bool lightweight = false;
  /// A description of the network that Troupe writes into files of weights for Predictor. Only Troupe makes such
  /// descriptions. Empty (default): files do not describe the network.
  std::string network = {};
  /// The measured times, if ReplicaContext::precision_check asked for them.
  PrecisionSeconds measured = {};
  /// Names of the metrics that each evaluation measures in addition to the loss. At most 64, without duplicates.
  std::vector<std::string> metrics = {};
  /// Kinds of layers that make the training loss depend on more than weights and samples, such as "batch-norm,
  /// dropout". Empty (default): there are none, or they are frozen.
  std::string batch_dependent = {};
};

/// Returns the description of a model with a flat vector of these tensors, one after the other; all are learned.
ModelInfo info_of(std::vector<TensorInfo> tensors);

/// One replica of a model: it computes gradients over flat vectors of floats. Weights and gradients are views of shared
/// memory, so a model stores no weights of its own. Every span that a model receives starts at a multiple of 64 bytes:
/// whole flat and canonical vectors, and the parts of `update_statistics`.
///
/// One thread at a time uses a replica: always the thread that created it, unless the model is lightweight. Other
/// replicas run at the same time. A model may throw. If it throws an Error, the driver's call throws an Error with the
/// same code and message, and adds the place. Any other exception becomes an Error model_failed with its text. The next
/// call uses the replica again.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Prepares the model and returns its description. The worker of the replica calls `start` once, before any other
  /// function. A model that contains another model starts that model with the same context.
  const ModelInfo& start(const ReplicaContext& context);

  /// Returns the description of the model. Defaults are replaced: `learned_size` is not 0, and `tensors` is not empty.
  /// @throws Error invalid_argument before `start`.
  const ModelInfo& info() const;

  /// Computes the gradient of the *sum* of the losses over the shard's samples of this step. Writes all `info().size`
  /// floats of `gradient`; padding must be zero. At the positions of statistics it writes sums over the samples instead
  /// of a gradient; `update_statistics` receives their mean.
  virtual BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) = 0;

  /// Computes the next version of the statistics [begin, begin + mean.size()) of the flat vector. Both ends are
  /// multiples of 32 floats, or the end of the vector. A model with statistics must implement it.
  /// @param begin first float of the range.
  /// @param mean the sums that all shards wrote for the range, added and divided by `samples`.
  /// @param samples samples of all shards.
  /// @param statistics the current values of the range.
  /// @param updated receives the new values of the range.
  /// @throws Error model_failed unless overridden.
  virtual void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                 std::span<const float> statistics, std::span<float> updated) const;

  /// Writes the first weights, which must depend on the seed only. Default: zeros.
  virtual void initialize(std::span<float> weights, std::uint64_t seed);

  /// Evaluates shard `at.shard` of the set `at.set`. Also measures the values that `at.measure` requests, as far as the
  /// model supports them. Returns 0 samples if the model has no such set (default).
  virtual EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights);

  /// Converts a flat vector to canonical order. The conversion is a permutation that leaves out padding. The conversion
  /// is used for the optimizer's vectors as well as for weights. Default: a copy.
  /// @throws Error model_mismatch unless overridden, if the sizes differ.
  virtual void to_canonical(std::span<const float> weights, std::span<float> canonical) const;
  /// Converts a vector in canonical order to a flat vector and sets padding to zero. Default: a copy.
  /// @throws Error model_mismatch unless overridden, if the sizes differ.
  virtual void from_canonical(std::span<const float> canonical, std::span<float> weights) const;

  /// Returns the times of all calls so far, by kind of layer. Empty if the model does not measure them (default).
  virtual std::vector<LayerTime> profile() const { return {}; }

 protected:
  /// Prepares the model for a replica and returns its description. `return {.size = 3};` suffices for a simple model.
  virtual ModelInfo prepare(const ReplicaContext& context) = 0;

 private:
  ModelInfo info_;
};

/// Makes a replica. The function must not return null, and must be thread-safe.
using CreateModel = std::function<std::unique_ptr<Model>(const ReplicaContext&)>;

/// Makes replicas: from a callable, for placement in_process, or from a registered name, for all placements. A callable
/// takes a ReplicaContext, or the numbers of worker and replica.
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

  /// Returns the registered name. Empty for a callable.
  const std::string& name() const { return name_; }
  /// Returns the callable. Empty for a name.
  const CreateModel& function() const { return create_; }

 private:
  std::string name_;
  CreateModel create_;
};

/// Registers a creator under a name, so that worker processes can use it. Call this function before `init`.
/// @throws Error invalid_argument if the name is taken.
void register_model(const std::string& name, CreateModel create);

}  // namespace troupe
