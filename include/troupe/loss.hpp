#pragma once

// Losses: ready-made ones, and losses of your own from two functions:
//
//    troupe::register_loss(std::make_shared<troupe::FunctionLoss>("huber", value, gradient));

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "troupe/data.hpp"

namespace troupe {

/// The expected result for one sample: a class or targets.
struct Target {
  /// The class of the sample, in [0, num_classes). -1 for data with targets.
  std::int32_t label = -1;
  /// The targets of the sample: num_targets finite floats. Empty for data with classes.
  std::span<const float> values = {};
};

/// Base class of losses, the functions that training minimizes. A loss computes one number from the outputs and the
/// target of one sample. The loss of a step is the mean of this number over the samples of the step. Implementations
/// must be thread-safe and must not keep state between samples. Spans have no particular alignment.
class Loss {
 public:
  /// Makes a loss with this name, which must be unique among losses. Files of weights contain the name.
  explicit Loss(std::string name) : name_(std::move(name)) {}
  Loss(const Loss&) = delete;
  Loss& operator=(const Loss&) = delete;
  virtual ~Loss() = default;

  /// Returns the name of the loss.
  const std::string& name() const { return name_; }

  /// Returns the number of outputs that a network needs for this data. Default: one for each class or target.
  /// @throws Error invalid_argument if the loss does not support this data.
  virtual std::int64_t num_outputs(const DataInfo& data) const;

  /// Returns the loss of one sample for an evaluation, which may differ from the loss in training (see `gradient`).
  /// @throws Error bad_data for a target that the loss does not support.
  virtual double value(std::span<const float> outputs, const Target& target) const = 0;
  /// Returns the loss of one sample in training, and writes its derivatives with respect to all outputs to `gradient`.
  /// @throws Error bad_data for a target that the loss does not support.
  virtual double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const = 0;
  /// Returns true if the outputs are a correct answer for `target`. The accuracy is the fraction of samples with
  /// correct outputs. Default: false.
  virtual bool is_hit(std::span<const float> outputs, const Target& target) const;
  /// Returns true if `is_hit` can return true. Steps then report a training accuracy. Default: false.
  virtual bool has_hits() const { return false; }
  /// Converts the outputs of a sample to probabilities, in place, if the loss defines probabilities. Default: does not
  /// change the outputs.
  virtual void to_probabilities(std::span<float> /*outputs*/) const {}

 private:
  std::string name_;
};

/// A loss made from two functions.
class FunctionLoss final : public Loss {
 public:
  /// A function that returns the loss of one sample.
  using Value = std::function<double(std::span<const float> outputs, const Target& target)>;
  /// A function that writes the derivatives of the loss of one sample, with respect to all outputs, to `gradient`.
  using Gradient = std::function<void(std::span<const float> outputs, const Target& target, std::span<float> gradient)>;

  /// Makes a loss with this name from two functions.
  /// @throws Error invalid_argument if a function is empty.
  FunctionLoss(std::string name, Value value, Gradient gradient);

  double value(std::span<const float> outputs, const Target& target) const override;
  double gradient(std::span<const float> outputs, const Target& target, std::span<float> gradient) const override;

 private:
  Value value_;
  Gradient gradient_;
};

/// Registers a loss under its name, so that the key "loss" in the config of built-in models can refer to it. Call
/// register_loss before `init`, so that worker processes register the loss, too.
/// @throws Error invalid_argument if `loss` is null, or its name is taken or empty.
void register_loss(std::shared_ptr<const Loss> loss);

namespace losses {

/// Returns the loss "softmax-cross-entropy" for data with classes. The network has one output for each class. A sample
/// counts as correct if the output of its class is the largest.
/// @param label_smoothing fraction of the target probability that training distributes evenly over all classes, as in
/// PyTorch's CrossEntropyLoss; in [0, 1). Evaluations do not use label smoothing.
/// @throws Error invalid_argument if `label_smoothing` is not in [0, 1).
std::shared_ptr<const Loss> softmax_cross_entropy(double label_smoothing = 0);

/// Returns the loss "mean-squared-error" for data with targets. The network has one output for each target. The loss of
/// a sample is the mean of (output - target)^2 over its outputs. The loss of a step is PyTorch's MSELoss. The loss does
/// not count correct samples (Loss::has_hits is false).
std::shared_ptr<const Loss> mean_squared_error();

/// Returns the loss "sigmoid-cross-entropy" for data with targets in [0, 1]. The network has one output for each
/// target. The loss of a sample is the mean of the binary cross-entropies of its outputs, as in PyTorch's
/// BCEWithLogitsLoss. A sample counts as correct if all its outputs are correct: above 0 for targets above 0.5, and at
/// most 0 for other targets.
std::shared_ptr<const Loss> sigmoid_cross_entropy();

}  // namespace losses

}  // namespace troupe
