#pragma once

// Optimizers, learning rates and parameter groups: values for Options::optimizer. `register_optimizer` adds an update
// rule of your own.
//
//    troupe::Options options{.optimizer = troupe::Adam{.learning_rate = 0.001, .groups = {{"*.bias", 0.0}}}};

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

/// The shape of the learning-rate schedule after the warm-up.
enum class ScheduleKind : std::uint8_t { constant, step, cosine };

/// Returns the enumerator's name, such as "cosine", or "unknown" for a value that is not an enumerator.
const char* to_string(ScheduleKind kind);

/// A factor for the learning rate, as a function of the step.
struct Schedule {
  /// Default: constant.
  ScheduleKind kind = ScheduleKind::constant;
  /// Steps during which the factor rises linearly from 0 to 1. The schedule of `kind` starts after them. 0 (default):
  /// no warm-up.
  std::int64_t warmup_steps = 0;
  /// Kind `step`: the factor is multiplied by `gamma` after every `step_size` steps. At least 1.
  std::int64_t step_size = 1000;
  /// Kind `step`: at least 0.
  double gamma = 0.1;
  /// Kind `cosine`: the number of steps after the warm-up in which the factor falls from 1 to `final_fraction`. At
  /// least 1. For N epochs: N * samples / (num_shards * batch_size).
  std::int64_t total_steps = 1000;
  /// Kind `cosine`: the last factor, in [0, 1].
  double final_fraction = 0;
};

/// A learning rate: a constant, a constant with a schedule, or a function of the step.
class LearningRate {
 public:
  /// Returns the learning rate of a step; steps are counted from 0. The driver calls the function in the thread that
  /// calls `step()` and sends the result to all workers, so the function may capture anything. The result must depend
  /// on the step only, because a step that is repeated and a run that is resumed call the function again. `step()`
  /// throws Error invalid_argument if the result is not a finite float of at least 0. An exception from the function
  /// propagates out of `step()`.
  using Function = std::function<double(std::int64_t step)>;

  // NOLINTBEGIN(google-explicit-constructor): a number is a rate, and so is a function
  /// A constant rate.
  template <class Number>
  requires std::is_convertible_v<const Number&, double> LearningRate(const Number& rate) : rate_(rate) {}
  /// A rate that is multiplied by a schedule: `{0.1, {.kind = ScheduleKind::cosine, .total_steps = 10000}}`.
  LearningRate(double rate, const Schedule& schedule) : rate_(rate), schedule_(schedule) {}
  /// A function of the step: `[](std::int64_t step) { return 0.1 / (1 + 0.01 * step); }`.
  template <class F>
  requires std::is_invocable_r_v<double, F&, std::int64_t> LearningRate(F function)
      : LearningRate(0.0, std::move(function)) {}
  /// A function of the step. Steps use only `function`. `rate` is written to files that record the options of the run.
  /// @throws Error invalid_argument if `function` is empty.
  LearningRate(double rate, Function function);
  // NOLINTEND(google-explicit-constructor)

  double rate() const { return rate_; }
  const Schedule& schedule() const { return schedule_; }
  const Function& function() const { return function_; }  ///< if it is not empty, it replaces `rate` and `schedule`

 private:
  double rate_ = 0;
  Schedule schedule_;
  Function function_;
};

/// Options for all tensors with a name that matches a pattern, such as no weight decay for biases. If several groups
/// match a tensor, the first one applies. A group that matches no tensor is an Error invalid_argument at the start of
/// the run.
struct ParameterGroup {
  /// A pattern for the whole name of a tensor: `*` matches any text, `?` matches one byte.
  std::string pattern;
  /// Replaces the optimizer's weight decay. Empty (default): the optimizer's weight decay applies.
  std::optional<double> weight_decay = {};
  /// The learning rate of the tensors is the optimizer's learning rate, after any schedule, times this factor.
  double learning_rate_factor = 1;
  /// If true, the tensors stay bitwise identical, including statistics such as running means. Their gradient is
  /// replaced by zero, and their optimizer state stays zero. If all tensors of a network's layer are frozen, the layer
  /// computes no gradient for them, and batch-norm computes as in an evaluation.
  bool frozen = false;
};

/// Stochastic gradient descent, optionally with (Nesterov) momentum. All optimizers use the formulas of the PyTorch
/// optimizers with the same names.
struct Sgd {
  LearningRate learning_rate = 0.01;
  /// 0 (default): no momentum.
  double momentum = 0;
  /// If true, uses Nesterov momentum.
  bool nesterov = false;
  double weight_decay = 0;                  ///< L2 penalty: weight_decay * weight is added to the gradient
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// Adagrad (Duchi et al. 2011).
struct Adagrad {
  LearningRate learning_rate = 0.01;
  double weight_decay = 0;                  ///< as Sgd::weight_decay
  double epsilon = 1e-8;                    ///< 0 is replaced by the smallest normal float, so that 0 / 0 is 0
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// Adam (Kingma and Ba 2015).
struct Adam {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9;                       ///< decay rate of the mean of gradients
  double beta2 = 0.999;                     ///< decay rate of the mean of squared gradients
  double epsilon = 1e-8;                    ///< as Adagrad::epsilon
  double weight_decay = 0;                  ///< as Sgd::weight_decay
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
struct AdamW {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9;       ///< as Adam::beta1
  double beta2 = 0.999;     ///< as Adam::beta2
  double epsilon = 1e-8;    ///< as Adagrad::epsilon
  double weight_decay = 0;  ///< learning rate * weight_decay * weight is subtracted; PyTorch's default is 0.01
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// An update rule that `register_optimizer` registered.
struct RegisteredOptimizer {
  std::string name;  ///< the name under which the rule is registered
  LearningRate learning_rate = 0.01;
  double weight_decay = 0;                     ///< the rule defines its meaning
  std::map<std::string, double> options = {};  ///< options that the rule defines, such as {{"beta1", 0.9}}
  std::vector<ParameterGroup> groups = {};     ///< see ParameterGroup
};

/// The optimizer of a run.
using Optimizer = std::variant<Sgd, Adagrad, Adam, AdamW, RegisteredOptimizer>;

/// Returns the name in reports, checkpoints and commands: "sgd", "adagrad", "adam", "adamw", or the registered name.
std::string to_string(const Optimizer& optimizer);

/// The step for which an update rule computes new weights.
struct UpdateStep {
  double learning_rate = 0;  ///< the rate of this step and parameter group
  std::int64_t step = 0;     ///< steps committed so far
  /// Number of earlier updates since the optimizer state was last set to zero: at the start, or by `set_weights`.
  std::int64_t updates = 0;
};

/// A part of the flat vectors: `count` floats of each. The output arrays do not overlap the input arrays.
struct UpdateChunk {
  std::size_t count = 0;                 ///< floats in each array
  const float* gradient_mean = nullptr;  ///< mean gradient over the samples (input)
  const float* weights = nullptr;        ///< current weights (input)
  float* new_weights = nullptr;          ///< new weights (output)
  const float* const* state = nullptr;   ///< one array for each vector of UpdateRule::state (input)
  float* const* new_state = nullptr;     ///< likewise (output)
};

/// Writes the new weights and the new state of a chunk. Returns true if all written values are finite. If a value is
/// not finite, the step is not committed.
using UpdateFunction = std::function<bool(const UpdateChunk& chunk)>;

/// Maximum number of state vectors of an update rule.
inline constexpr std::size_t kMostStateVectors = 4;

/// A rule that computes new weights element by element. Each output float may depend only on the input floats at the
/// same position. The result is then bitwise identical however the vectors are split into chunks.
struct UpdateRule {
  /// Names of the state vectors, such as "momentum". Each has the length of the weights and starts with zeros. At most
  /// kMostStateVectors.
  std::vector<std::string> state = {};
  /// Computes the values that all chunks of a step share, and returns the function that updates a chunk. `prepare` is
  /// called once in each step for each replica and parameter group. If several threads update parts of a slice,
  /// `prepare` is called once for each part. `prepare` must be thread-safe. One thread at a time calls the returned
  /// function.
  std::function<UpdateFunction(const UpdateStep& step)> prepare = {};
};

/// Makes an update rule from its options. The function is called once for each parameter group, with the weight decay
/// of that group. The function throws Error invalid_argument if the rule does not support an option.
using MakeUpdateRule = std::function<UpdateRule(const RegisteredOptimizer& options)>;

/// Registers an update rule under a name, for RegisteredOptimizer::name. Call this function before `init` in every
/// process of a run, as with `register_model`. The padding of the flat vector is zero in weights, gradient and state,
/// and the rule must keep it zero.
/// @throws Error invalid_argument if the name is taken.
void register_optimizer(const std::string& name, MakeUpdateRule make);

/// Returns true if `values` contains neither NaN nor infinity.
bool all_finite(std::span<const float> values);

}  // namespace troupe
