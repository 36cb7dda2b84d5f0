#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "troupe/data.hpp"

namespace troupe {

/// What a network's outputs for a sample are compared with.
struct Target {
  std::int32_t label = -1;             ///< of data with classes, in [0, num_classes)
  std::span<const float> values = {};  ///< of data with targets: finite, num_targets of them
};

/// What a network makes small: a number for one sample's outputs and its target. A step's loss is the mean over its
/// samples. Used by several threads at once, so it keeps nothing from one sample to the next. Spans are of any
/// alignment.
class Loss {
 public:
  explicit Loss(std::string name) : name_(std::move(name)) {}
  Loss(const Loss&) = delete;
  Loss& operator=(const Loss&) = delete;
  virtual ~Loss() = default;

  const std::string& name() const { return name_; }

  /// Outputs that a network needs to learn such data: one for each class or target, unless overridden.
  /// @throws Error invalid_argument for data that the loss cannot learn.
  virtual std::int64_t num_outputs(const DataInfo& data) const;

  /// The loss of one sample. @throws Error bad_data for a target that the loss cannot learn.
  virtual double value(std::span<const float> outputs, const Target& target) const = 0;
  /// The same, and writes its derivative by each output, all of them.
  virtual double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const = 0;
  /// Whether the outputs are right, for the accuracy; never, unless overridden.
  virtual bool is_hit(std::span<const float> outputs, const Target& target) const;
  /// Whether `is_hit` says so of some: steps tell a training accuracy then.
  virtual bool has_hits() const { return false; }
  /// Makes a sample's outputs what they say of it, in place: probabilities where the loss takes them for such. Leaves
  /// them as they are, unless overridden.
  virtual void to_probabilities(std::span<float> /*outputs*/) const {}

 private:
  std::string name_;
};

/// A loss made from functions.
class FunctionLoss final : public Loss {
 public:
  /// The loss of one sample.
  using Value = std::function<double(std::span<const float> outputs, const Target& target)>;
  /// Writes its derivative by each output.
  using Gradient = std::function<void(std::span<const float> outputs, const Target& target, std::span<float> gradient)>;

  /// @throws Error invalid_argument where a function is empty.
  FunctionLoss(std::string name, Value value, Gradient gradient);

  double value(std::span<const float> outputs, const Target& target) const override;
  double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const override;

 private:
  Value value_;
  Gradient gradient_;
};

/// Makes a loss known under its name, for the built-in models' "loss". Call it before `init`, so that worker processes
/// know it, too. @throws Error invalid_argument for none, a name that is taken or an empty one.
void register_loss(std::shared_ptr<const Loss> loss);

namespace losses {

/// "softmax-cross-entropy", for data with classes, an output each. A hit: the largest output is the class's.
/// @param label_smoothing what steps want of all classes together, the same of each, rather than of the sample's own,
/// as PyTorch's CrossEntropyLoss does; in [0, 1). Evaluations measure without it.
/// @throws Error invalid_argument
std::shared_ptr<const Loss> softmax_cross_entropy(double label_smoothing = 0);

/// "mean-squared-error", for data with targets, an output each: the mean of (output - target)^2 over a sample's
/// outputs, so that a step's loss is PyTorch's MSELoss. No hits.
std::shared_ptr<const Loss> mean_squared_error();

/// "sigmoid-cross-entropy", for data with targets in [0, 1], an output each: the mean over a sample's outputs, as
/// PyTorch's BCEWithLogitsLoss has it. A hit: all outputs are on their side, above 0 where the target is above 0.5.
std::shared_ptr<const Loss> sigmoid_cross_entropy();

}  // namespace losses

}  // namespace troupe
