#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

/// How the learning rate falls once the warm-up is over.
enum class ScheduleKind : std::uint8_t { constant, step, cosine };

/// The name, as it is written here.
const char* to_string(ScheduleKind kind);

/// What the learning rate is multiplied by. With `warmup_steps`, it first rises linearly from 0 to 1.
struct Schedule {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t warmup_steps = 0;
  std::int64_t step_size = 1000;    ///< step: multiply by `gamma` every so many steps
  double gamma = 0.1;               ///< step
  std::int64_t total_steps = 1000;  ///< cosine: steps of the run from the full rate down to `final_fraction` of it, as
                                    ///< epochs * (samples / (num_shards * batch_size))
  double final_fraction = 0;        ///< cosine
};

/// A learning rate: the same for all steps, one that changes by a schedule, or a function of the step.
class LearningRate {
 public:
  /// Of a step, counted from 0. The driver asks it, in the thread that calls `step()`, and tells all workers, so it may
  /// hold what it likes. It has to depend on the step alone: a step that is done again asks again, as does a run that
  /// is resumed. Its answer is a float from 0 on; else the step is an Error invalid_argument, and what it throws, the
  /// step throws.
  using Function = std::function<double(std::int64_t step)>;

  // NOLINTBEGIN(google-explicit-constructor): a number is a rate, and so is a function
  template <class Number>
  requires std::is_convertible_v<const Number&, double> LearningRate(const Number& rate) : rate_(rate) {}
  /// As `{0.1, {.kind = ScheduleKind::cosine, .total_steps = 10000}}`.
  LearningRate(double rate, const Schedule& schedule) : rate_(rate), schedule_(schedule) {}
  /// As `[](std::int64_t step) { return 0.1 / (1 + 0.01 * step); }`.
  template <class F>
  requires std::is_invocable_r_v<double, F&, std::int64_t> LearningRate(F function)
      : LearningRate(0.0, std::move(function)) {}
  /// The same; files that tell of the run's options tell `rate`. @throws Error invalid_argument for no function
  LearningRate(double rate, Function function);
  // NOLINTEND(google-explicit-constructor)

  double rate() const { return rate_; }
  const Schedule& schedule() const { return schedule_; }
  const Function& function() const { return function_; }  ///< in place of both, where there is one

 private:
  double rate_ = 0;
  Schedule schedule_;
  Function function_;
};

/// Tensors that are updated otherwise than the rest, such as biases without weight decay.
struct ParameterGroup {
  std::string pattern;                      ///< of their whole names: * is any text, ? any one byte
  std::optional<double> weight_decay = {};  ///< in place of the optimizer's
  double learning_rate_factor = 1;          ///< of the optimizer's rate, wherever that comes from
  bool frozen = false;  ///< they stay as they are, to the bit, and so do statistics among them. Their gradient counts
                        ///< as zero, and is not computed for a layer of a network all of whose tensors are frozen; its
                        ///< batch-norm computes as in evaluations. The optimizer's state of theirs stays zero
};

// Optimizers are values for `Options::optimizer`. Their formulas are PyTorch's, of the same names. Of a tensor the
// first of `groups` counts whose pattern fits, if any.

/// With momentum, and Nesterov's.
struct Sgd {
  LearningRate learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;  ///< L2: added to the gradient as weight_decay * weight
  std::vector<ParameterGroup> groups = {};
};

struct Adagrad {
  LearningRate learning_rate = 0.01;
  double weight_decay = 0;  ///< as Sgd::weight_decay
  double epsilon = 1e-8;    ///< 0 counts as the smallest normal float, so that 0 / 0 is 0
  std::vector<ParameterGroup> groups = {};
};

struct Adam {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;    ///< as Adagrad::epsilon
  double weight_decay = 0;  ///< as Sgd::weight_decay
  std::vector<ParameterGroup> groups = {};
};

struct AdamW {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;    ///< as Adagrad::epsilon
  double weight_decay = 0;  ///< so much of the weight, times the rate, is taken off it; PyTorch has 0.01
  std::vector<ParameterGroup> groups = {};
};

/// What `register_optimizer` named.
struct RegisteredOptimizer {
  std::string name;
  LearningRate learning_rate = 0.01;
  double weight_decay = 0;                     ///< the rule says of what
  std::map<std::string, double> options = {};  ///< of the rule's own, as {{"beta1", 0.9}}
  std::vector<ParameterGroup> groups = {};
};

using Optimizer = std::variant<Sgd, Adagrad, Adam, AdamW, RegisteredOptimizer>;

/// The name in reports, checkpoints and commands: "sgd", "adagrad", "adam", "adamw", or the registered one.
std::string to_string(const Optimizer& optimizer);

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

/// Makes a rule for options, and throws Error invalid_argument where one of them cannot work with it. It is asked for
/// each group of tensors, with the group's weight decay.
using MakeUpdateRule = std::function<UpdateRule(const RegisteredOptimizer& options)>;

/// Makes a rule known under a name, for `RegisteredOptimizer::name`: call it in every process of a run, before `init`,
/// as for `register_model`. Padding of the flat vector has zeros everywhere, and has to keep them.
/// @throws Error invalid_argument when the name is taken.
void register_optimizer(const std::string& name, MakeUpdateRule make);

/// Whether none of `values` is NaN or infinite.
bool all_finite(std::span<const float> values);

}  // namespace troupe
