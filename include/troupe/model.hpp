#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// What an evaluation measures.
enum class EvaluationSet : std::uint8_t { test, validation };

/// What an evaluation measures beside loss and accuracy. What the model does not measure, such as a class's recall
/// where the data has targets, its results are without.
struct EvaluationOptions {
  bool confusion = false;  ///< how often samples of one class are taken for another
  int top_k = 0;           ///< how often a sample's class is among so many largest outputs; 0: not asked
  bool errors = false;     ///< of data with targets: how far outputs are off
};

/// More classes have no confusion matrix, and more targets no errors: an Error unsupported.
inline constexpr std::int64_t kMostConfusionClasses = 2048;
inline constexpr std::int64_t kMostErrorTargets = 4096;

/// What a caller says of the weights that it gives: in all calls of this number, what lies at `data` is the same. A
/// model that keeps weights elsewhere, such as on an accelerator, need not take those at `data` again. It says nothing
/// of others that a model gives one it wraps, whatever comes along with them.
struct WeightsVersion {
  const float* data = nullptr;
  std::uint64_t number = 0;  ///< 0: nothing is said

  /// For calls with these weights until they change, with a number that this process has not yet used.
  static WeightsVersion begin(std::span<const float> weights);

  bool operator==(const WeightsVersion&) const = default;
};

/// Which shard of the data a model works on, at which step.
struct ShardStep {
  int shard = 0;                            ///< 0 .. num_shards - 1
  int num_shards = 1;                       ///< fixed for the whole run
  std::int64_t step = 0;                    ///< steps committed so far
  std::uint64_t seed = 0;                   ///< of the run; draw random numbers from (seed, shard, step) only
  EvaluationSet set = EvaluationSet::test;  ///< of an evaluation
  EvaluationOptions measure = {};           ///< of an evaluation
  WeightsVersion weights = {};              ///< of the weights that come along; empty: they may be any
};

/// What replicas compute on.
enum class Device : std::uint8_t {
  cpu,
  cuda,  ///< CUDA devices, in programs that link troupe::cuda
};

/// What a model computes in. Weights, gradients and their sums are floats (f32) either way.
enum class Precision : std::uint8_t {
  f32,
  bf16,  ///< mixed: activations and the operands of matrix products are bfloat16
};

/// Seconds that the same part of a model's work takes in either precision; zeros where nobody has measured it.
struct PrecisionSeconds {
  double f32 = 0;
  double bf16 = 0;

  bool known() const { return f32 > 0 && bf16 > 0; }
  /// bf16, unless f32 is clearly faster: unless bf16 takes more than 1.1 times as long. What is measured is a part,
  /// and in the rest bf16 moves half the bytes; and two measurements of the same may differ by as much on a busy
  /// machine.
  Precision faster() const { return bf16 > 1.1 * f32 ? Precision::f32 : Precision::bf16; }
};

/// Time that a model spent in layers of one kind, and the arithmetic it did there. What lies between layers (the
/// samples' layout, the loss) is in none.
struct LayerTime {
  std::string kind;
  std::int64_t layers = 0;  ///< of this kind in the network
  double forward_seconds = 0;
  double backward_seconds = 0;
  double forward_flops = 0;  ///< additions and multiplications of matrix products and convolutions; else 0
  double backward_flops = 0;
  bool beside = false;  ///< while other kinds were at work: its time is in no sum
};

/// What a creator is told about the replica it makes.
struct ReplicaContext {
  int worker = 0;
  int replica = 0;               ///< of the worker's, ComputeOptions::devices_per_worker in number
  std::vector<int> shards = {};  ///< the shards this replica works on, and those of others that it may have to compute
  int num_shards = 1;
  std::uint64_t seed = 0;
  Precision precision = Precision::f32;  ///< ComputeOptions::precision
  /// With bf16: the model may measure what bf16 gains it (ModelInfo::measured) and compute in what is faster. What all
  /// replicas compute in is then decided for the run, and who computes in another is made again, without this.
  bool precision_check = false;
  std::string config = {};      ///< Options::config as it was given (JSON for the built-in models)
  Device device = Device::cpu;  ///< ComputeOptions::device
  int device_number = -1;       ///< ComputeOptions::device_number
  bool tf32 = false;            ///< ComputeOptions::tf32
  int place = 0;                ///< the replica's number among the run's replicas on its node
  int replicas_at_a_time = 1;   ///< of this worker, that compute while the others wait for their turn
  /// Layers whose training pass depends on the batch or on chance, batch-norm and dropout, are computed in training as
  /// in evaluations; their statistics stay.
  bool frozen = false;
  /// Which tensors are kept as they are, by name (ParameterGroup::frozen); empty: none. Their gradient need not be
  /// written.
  std::function<bool(const std::string& tensor)> keeps = {};
};

/// What one shard adds to a step.
struct BatchResult {
  static constexpr std::int64_t kNotCounted = -1;

  double loss_sum = 0;                 ///< sum of the losses over the samples, not their mean
  std::int64_t samples = 0;            ///< how many samples the sum covers; 0 is allowed
  double data_seconds = 0;             ///< that passed until the samples were there
  std::int64_t left_out = 0;           ///< samples that could not be read, and are not among these
  std::int64_t bytes_over_bus = 0;     ///< copied between the host and an accelerator, both ways
  std::int64_t correct = kNotCounted;  ///< of these samples, those that the model got right; see Loss::is_hit

  BatchResult& operator+=(const BatchResult& other);
};

/// How far one target's outputs are off, and how it spreads, over a shard's samples.
struct TargetSums {
  double squared_error = 0;   ///< the sum of (output - target)^2
  double absolute_error = 0;  ///< the sum of |output - target|
  double mean = 0;            ///< of the target
  double deviation = 0;       ///< the sum of (target - mean)^2
};

/// What one shard of the test set adds to an evaluation. The members behind `samples` are for what ShardStep::measure
/// asks for, and left empty by a model that does not measure it: in all shards with samples, or in none.
struct EvaluationResult {
  double loss_sum = 0;
  std::int64_t correct = 0;  ///< samples that the model got right; see Loss::is_hit
  std::int64_t samples = 0;
  std::optional<std::int64_t> top_k_correct = {};
  std::vector<std::int64_t> confusion = {};  ///< samples by class and, within it, by what they were taken for
  std::vector<TargetSums> targets = {};
  std::vector<double> metric_sums = {};  ///< over the samples; in the order of ModelInfo::metrics, asked or not
};

/// A named tensor of the canonical weights: row-major, one after the other in the order given.
struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> shape;

  /// Floats. @throws Error invalid_argument for a negative length or a number of floats that no memory could hold.
  std::size_t size() const;
};

/// Floats of all of them.
std::size_t total_size(std::span<const TensorInfo> tensors);

/// What a model says of itself. Where a member is left as it is, the model is as the comment says.
struct ModelInfo {
  /// Length, in floats, of the flat vectors (with the padding that the model's layout wants).
  std::size_t size = 0;
  /// The first so many floats are learned: the optimizer updates them. The others are statistics of the data, such as
  /// batch-norm's, which `update_statistics` updates. A multiple of 32, unless it is `size`. 0: all are learned.
  std::size_t learned_size = 0;
  /// The canonical weights, for files and hashes: at most `size` floats, in tensors whose names are printable. Empty:
  /// one tensor "weights" of `size` floats.
  std::vector<TensorInfo> tensors = {};
  /// Names the layout of the flat vector, and what else the bits depend on, such as libraries and devices; replicas
  /// whose fingerprints differ cannot work together. Checkpoints keep it, and a run that goes on with another one says
  /// so.
  std::string fingerprint = "plain";
  /// What it really computes in: f32 where the device has nothing else.
  Precision precision = Precision::f32;
  /// How many training samples the model draws from; 0 where that means nothing. Every shard needs one.
  std::int64_t num_samples = 0;
  /// Steps until every shard has seen its samples once; 0 where that means nothing.
  std::int64_t steps_per_epoch = 0;
  /// True when a step of this model is so short (tens of microseconds) that a thread of its own would cost more than
  /// it brings.
  bool lightweight = false;
  /// What Troupe writes into files of weights, so that a Predictor can make the network again: text of its own making.
  /// Empty: files do not say it.
  std::string network = {};
  /// Where ReplicaContext::precision_check asks for it.
  PrecisionSeconds measured = {};
  /// Names of what each evaluation measures beside the loss; at most 64, each once.
  std::vector<std::string> metrics = {};
  /// Kinds of its layers whose training pass makes the loss depend on more than weights and samples, such as
  /// "batch-norm, dropout". Empty: there are none, or they are frozen.
  std::string batch_dependent = {};
};

/// Of a model whose flat vector is these tensors, one after the other, all of them learned.
ModelInfo info_of(std::vector<TensorInfo> tensors);

/// One replica of a model: maths over flat float vectors. Weights come in and gradients go out as views of shared
/// memory, so a model keeps none of its own. Every span that it is given begins at a multiple of 64 bytes: whole flat
/// and canonical vectors, and the parts of `update_statistics`.
///
/// A replica is used by one thread at a time: the one that created it, or changing ones when it is lightweight. Others
/// are used beside it. It may throw: an Error comes out of the driver's call as it is, with the place added, anything
/// else as an Error model_failed with its text; the replica is asked again by the next call.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Prepares the model. Called once, before anything else, by the worker that the replica belongs to; a model that
  /// holds another starts that one with the same context.
  const ModelInfo& start(const ReplicaContext& context);

  /// What the model said at its start, without the members that say "as usual". @throws Error invalid_argument before.
  const ModelInfo& info() const;

  /// Computes the gradient of the *sum* of the losses over the shard's samples of this step and writes all
  /// `info().size` floats of it. Padding must stay zero.
  /// In place of the gradient of statistics it writes sums over the samples, too.
  virtual BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) = 0;

  /// Makes statistics v + 1 of statistics v for the floats [begin, begin + mean.size()) of the flat vector; `mean` is
  /// what all shards wrote for them, added and divided by `samples`. Both ends are multiples of 32 floats from the
  /// start of the vector, or its end.
  virtual void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                 std::span<const float> statistics, std::span<float> updated) const;

  /// Writes the weights to begin with, a function of the seed alone. Zeros unless overridden.
  virtual void initialize(std::span<float> weights, std::uint64_t seed);

  /// Measures shard `at.shard` of `at.set`, and what `at.measure` asks for, or not. Without the set: no samples.
  virtual EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights);

  /// Converts a flat vector to the canonical order, and back: a permutation, which leaves out padding and makes it zero
  /// again. It serves the optimizer's vectors as well as the weights.
  virtual void to_canonical(std::span<const float> weights, std::span<float> canonical) const;
  virtual void from_canonical(std::span<const float> canonical, std::span<float> weights) const;

  /// Where the time of all calls so far went; empty for models that do not measure it.
  virtual std::vector<LayerTime> profile() const { return {}; }

 protected:
  /// Makes the model ready for such a replica and says what it is: `return {.size = 3};` does for a simple one.
  virtual ModelInfo prepare(const ReplicaContext& context) = 0;

 private:
  ModelInfo info_;
};

using CreateModel = std::function<std::unique_ptr<Model>(const ReplicaContext&)>;

/// Makes replicas: from a callable, for workers of this process, or from a registered name, for all placements.
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

  const std::string& name() const { return name_; }
  const CreateModel& function() const { return create_; }

 private:
  std::string name_;
  CreateModel create_;
};

/// Makes `create` known to worker processes under `name`. Call before `init`.
/// @throws Error invalid_argument when the name is taken.
void register_model(const std::string& name, CreateModel create);

}  // namespace troupe
