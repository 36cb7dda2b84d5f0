#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// How the learning rate falls once the warm-up is over.
enum class ScheduleKind : std::uint8_t { constant, step, cosine };

/// The name, as it is written here.
const char* to_string(ScheduleKind kind);

/// Learning rate as a function of the step. With `warmup_steps`, the rate first rises linearly from 0.
struct Schedule {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t warmup_steps = 0;
  std::int64_t step_size = 1000;    ///< step: multiply by `gamma` every so many steps
  double gamma = 0.1;               ///< step
  std::int64_t total_steps = 1000;  ///< cosine: steps from the full rate down to `final_fraction` of it
  double final_fraction = 0;        ///< cosine
};

/// Tensors that are updated otherwise than the rest, such as biases without weight decay.
struct ParameterGroup {
  std::string pattern;                      ///< of their whole names: * is any text, ? any one byte
  std::optional<double> weight_decay = {};  ///< in place of OptimizerOptions::weight_decay
  double learning_rate_factor = 1;          ///< of the rate, wherever that comes from
  bool frozen = false;  ///< they stay as they are, to the bit, and so do statistics among them. Their gradient counts
                        ///< as zero, and is not computed for a layer of a network all of whose tensors are frozen; its
                        ///< batch-norm computes as in evaluations. The optimizer's state of theirs stays zero
};

/// The learning rate of a step, counted from 0.
using LearningRateFunction = std::function<double(std::int64_t step)>;

/// The update rule. Formulas are PyTorch's, of the same names.
struct OptimizerOptions {
  std::string kind = "sgd";  ///< "sgd" (with momentum, nesterov), "adagrad", "adam", "adamw", or what
                             ///< `register_optimizer` named
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;  ///< L2: added to the gradient as weight_decay * weight. adamw: so much of the weight, times
                            ///< the rate, is taken off it
  double beta1 = 0.9;       ///< adam, adamw
  double beta2 = 0.999;     ///< adam, adamw
  double epsilon = 1e-8;    ///< adam, adamw, adagrad; 0 counts as the smallest normal float, so that 0 / 0 is 0
  double clip_norm = 0;     ///< the mean gradient of all that is learned is scaled by min(1, clip_norm / (its length +
                            ///< 1e-6)), as PyTorch does; 0: never
  Schedule schedule = {};
  /// In place of learning_rate and schedule, as `[](std::int64_t step) { return 0.1 / (1 + 0.01 * step); }`. The driver
  /// asks it, in the thread that calls `step()`, and tells all workers, so it may hold what it likes, and update rules
  /// are told its answer alone. It has to depend on the step alone: a step that is done again asks again, as does a run
  /// that is resumed. Its answer is a float from 0 on; else the step is an Error invalid_argument, and what it throws,
  /// the step throws.
  LearningRateFunction learning_rate_at = {};
  std::vector<ParameterGroup> groups = {};  ///< of a tensor the first counts whose pattern fits, if any
};

/// What an update rule is told of a step.
struct UpdateStep {
  double learning_rate = 0;  ///< of this step and group
  std::int64_t step = 0;     ///< steps committed so far
  std::int64_t updates = 0;  ///< that made the state so far: 0 where it is still all zeros, as at the start and after
                             ///< `set_weights`
};

/// A part of the flat vectors, `count` floats of each. What is written overlaps nothing that is read.
struct UpdateChunk {
  std::size_t count = 0;
  const float* gradient_mean = nullptr;
  const float* weights = nullptr;
  float* new_weights = nullptr;
  const float* const* state = nullptr;  ///< by vector of the rule's state
  float* const* new_state = nullptr;
};

/// Writes new weights and new state of a chunk. Returns whether all that it wrote is finite: what is not is never
/// committed.
using UpdateFunction = std::function<bool(const UpdateChunk& chunk)>;

/// At most so many vectors of state has a rule.
inline constexpr std::size_t kMostStateVectors = 4;

/// How weights become new weights, element by element: a float may depend on the floats in its own place alone, so that
/// the bits do not depend on how vectors are cut into chunks.
struct UpdateRule {
  /// The vectors that it keeps beside the weights, as long as they are and all zeros to begin with, such as "momentum".
  std::vector<std::string> state = {};
  /// Does what all chunks of a step need; for each replica and group once a step, or once for each part that threads of
  /// their own make of its slice. Is called by several threads at once; what it returns by one.
  std::function<UpdateFunction(const UpdateStep& step)> prepare = {};
};

/// Makes a rule for options, and throws Error invalid_argument where one of them cannot work with it. The ranges of all
/// of them are checked by then.
using MakeUpdateRule = std::function<UpdateRule(const OptimizerOptions& options)>;

/// Makes a rule known under a name, for `OptimizerOptions::kind`: call it in every process of a run, before `init`, as
/// for `register_model`. Padding of the flat vector has zeros everywhere, and has to keep them.
/// @throws Error invalid_argument when the name is taken.
void register_optimizer(const std::string& name, MakeUpdateRule make);

/// Whether none of `values` is NaN or infinite.
bool all_finite(std::span<const float> values);

}  // namespace troupe
