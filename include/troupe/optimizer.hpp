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

/// How the learning rate changes after the warm-up (see Schedule).
enum class ScheduleKind : std::uint8_t { constant, step, cosine, linear, wsd };

/// Returns the enumerator's name, such as "cosine", or "unknown" for a value that is not an enumerator.
const char* to_string(ScheduleKind kind);

/// A factor by which the learning rate is multiplied in each step. The factor depends on the number of the step.
struct Schedule {
  /// How the factor changes after the warm-up. Default: constant.
  ScheduleKind kind = ScheduleKind::constant;
  /// Number of steps, at the start of the run, during which the factor rises linearly from 0 to 1. After these steps,
  /// the factor follows `kind`. 0 (default): no warm-up.
  std::int64_t warmup_steps = 0;
  /// For kind `step`: the factor is multiplied by `gamma` each time after this many steps. At least 1.
  std::int64_t step_size = 1000;
  /// For kind `step`: the number by which the factor is multiplied. At least 0.
  double gamma = 0.1;
  /// For the kinds `cosine`, `linear` and `wsd`: number of steps after the warm-up at the end of which the factor is
  /// `final_fraction`, and then stays there. `cosine` and `linear` fall during all these steps, `wsd` during the last
  /// `decay_steps` of them only. At least 1. For a training of N epochs, use N * samples / (num_shards * batch_size).
  std::int64_t total_steps = 1000;
  /// For the kinds `cosine`, `linear` and `wsd`: the factor at the end, in [0, 1].
  double final_fraction = 0;
  /// For kind `wsd` (warm-up, stable, decay; Hu et al. 2024, arXiv 2404.06395): number of steps during which the factor
  /// falls linearly. At least 0; 0 (default): a tenth of `total_steps`.
  std::int64_t decay_steps = 0;
};

/// A learning rate: a constant, a constant with a schedule, or a function of the step.
class LearningRate {
 public:
  /// A function that returns the learning rate of a step; steps are counted from 0. The driver calls the function in
  /// the thread that calls `step()`, and sends the result to all workers. So the function may capture anything. The
  /// result must depend on the number of the step only, because the function is called again if a step is repeated or a
  /// run is resumed. `step()` throws Error invalid_argument if the result is not a finite float of at least 0. If the
  /// function throws, the exception propagates out of `step()`.
  using Function = std::function<double(std::int64_t step)>;

  // NOLINTBEGIN(google-explicit-constructor): numbers and functions convert to a LearningRate
  /// Makes a constant rate.
  template <class Number>
  requires std::is_convertible_v<const Number&, double> LearningRate(const Number& rate) : rate_(rate) {}
  /// Makes a rate that is `rate` times the factor of a schedule. Example: `{0.1, {.kind = ScheduleKind::cosine,
  /// .total_steps = 10000}}`.
  LearningRate(double rate, const Schedule& schedule) : rate_(rate), schedule_(schedule) {}
  /// Makes a rate that a function computes from the step. Example: `[](std::int64_t step) { return 0.1 / (1 + 0.01 *
  /// step); }`.
  template <class F>
  requires std::is_invocable_r_v<double, F&, std::int64_t> LearningRate(F function)
      : LearningRate(0.0, std::move(function)) {}
  /// Makes a rate that `function` computes from the step. `rate` has no effect on steps; it is written to files that
  /// record the options of the run.
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

/// Options for all tensors whose name matches a pattern, such as no weight decay for biases. If several groups match a
/// tensor, the first group in the list applies. A group that matches no tensor causes an Error invalid_argument at the
/// start of the run.
struct ParameterGroup {
  /// A pattern that must match the whole name of a tensor. In the pattern, `*` matches any text, and `?` matches one
  /// byte.
  std::string pattern;
  /// The weight decay of these tensors. Empty (default): the optimizer's weight decay.
  std::optional<double> weight_decay = {};
  /// The learning rate of these tensors is the optimizer's learning rate (after any schedule) times this factor.
  double learning_rate_factor = 1;
  /// If true, these tensors do not change, including statistics such as running means. Their gradient is replaced by
  /// zero, and their optimizer state stays zero. If all tensors of a layer are frozen, the layer computes no gradient
  /// for them. If such a layer is a batch-norm, it computes as in an evaluation.
  bool frozen = false;
  /// If it is not 0, the group contains only tensors with this number of dimensions. For example, weights of linear
  /// layers have 2, and biases and the scales of norms have 1: `{.pattern = "*", .weight_decay = 0, .dimensions = 1}`.
  /// Must be 0 in groups of frozen tensors, which must be before all groups with `dimensions`.
  int dimensions = 0;
};

/// Stochastic gradient descent, optionally with momentum or Nesterov momentum. Sgd, Adagrad, Adam and AdamW use the
/// formulas of PyTorch's optimizers with the same names.
struct Sgd {
  LearningRate learning_rate = 0.01;
  /// The momentum. 0 (default): no momentum.
  double momentum = 0;
  /// If true, uses Nesterov momentum.
  bool nesterov = false;
  double weight_decay = 0;                  ///< L2 penalty: weight_decay * weight is added to the gradient
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// Adagrad (Duchi et al. 2011).
struct Adagrad {
  LearningRate learning_rate = 0.01;
  double weight_decay = 0;                  ///< L2 penalty; see Sgd::weight_decay
  double epsilon = 1e-8;                    ///< 0 is replaced by the smallest normal float, so that 0 / 0 becomes 0
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// Adam (Kingma and Ba 2015).
struct Adam {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9;                       ///< decay rate of the mean of gradients
  double beta2 = 0.999;                     ///< decay rate of the mean of squared gradients
  double epsilon = 1e-8;                    ///< see Adagrad::epsilon
  double weight_decay = 0;                  ///< L2 penalty; see Sgd::weight_decay
  std::vector<ParameterGroup> groups = {};  ///< see ParameterGroup
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
struct AdamW {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9;       ///< decay rate of the mean of gradients
  double beta2 = 0.999;     ///< decay rate of the mean of squared gradients
  double epsilon = 1e-8;    ///< see Adagrad::epsilon
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

/// Returns the name of the optimizer in reports, checkpoints and commands: "sgd", "adagrad", "adam", "adamw", or the
/// name of a registered optimizer.
std::string to_string(const Optimizer& optimizer);

/// Describes the step for which an update rule computes new weights.
struct UpdateStep {
  double learning_rate = 0;  ///< the learning rate of this step and parameter group
  std::int64_t step = 0;     ///< number of steps committed so far
  /// Number of updates since the optimizer state was last set to zero, without this update. The state is set to zero at
  /// the start of the run and by `set_weights`.
  std::int64_t updates = 0;
};

/// The memory of one part of the flat vectors that an update rule processes: the same `count` floats of each vector.
/// The output arrays do not overlap the input arrays.
struct UpdateChunk {
  std::size_t count = 0;                 ///< floats in each array
  const float* gradient_mean = nullptr;  ///< mean gradient over the samples (input)
  const float* weights = nullptr;        ///< current weights (input)
  float* new_weights = nullptr;          ///< new weights (output)
  const float* const* state = nullptr;   ///< current state, one array for each vector of UpdateRule::state (input)
  float* const* new_state = nullptr;     ///< new state, one array for each vector of UpdateRule::state (output)
};

/// A function that computes the new weights and the new state of one UpdateChunk and writes them to its output arrays.
/// Returns true if all written values are finite. If it returns false, the step is not committed.
using UpdateFunction = std::function<bool(const UpdateChunk& chunk)>;

/// Maximum number of state vectors of an update rule.
inline constexpr std::size_t kMostStateVectors = 4;

/// A rule that computes new weights and new state from the gradient. Each output float may depend only on the input
/// floats at the same position. Therefore the result is bitwise identical, no matter how the vectors are split into
/// UpdateChunks.
struct UpdateRule {
  /// Names of the state vectors, such as "momentum". Each state vector has the length of the weights and starts with
  /// zeros. At most kMostStateVectors names.
  std::vector<std::string> state = {};
  /// Computes the values that are the same for all UpdateChunks of a step, and returns the function that updates an
  /// UpdateChunk. In each step, `prepare` is called once for each replica and parameter group. If several threads
  /// update parts of a slice, `prepare` is called once for each of these parts. `prepare` must be thread-safe. Only one
  /// thread at a time calls the returned function.
  std::function<UpdateFunction(const UpdateStep& step)> prepare = {};
};

/// A function that makes an update rule from its options. It is called once for each parameter group;
/// `options.weight_decay` is then the weight decay of that group. It throws Error invalid_argument if the rule does not
/// support an option.
using MakeUpdateRule = std::function<UpdateRule(const RegisteredOptimizer& options)>;

/// Registers an update rule under a name, which RegisteredOptimizer::name refers to. Call register_optimizer before
/// `init`, in every process of a run. The padding of the flat vector is zero in weights, gradient and state, and the
/// rule must keep it zero.
/// @throws Error invalid_argument if the name is taken.
void register_optimizer(const std::string& name, MakeUpdateRule make);

/// Returns true if `values` contains neither NaN nor infinity.
bool all_finite(std::span<const float> values);

}  // namespace troupe
