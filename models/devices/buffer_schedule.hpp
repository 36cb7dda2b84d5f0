#pragma once

#include <vector>

#include "models/devices/memory_plan.hpp"
#include "models/network/network_plan.hpp"

namespace troupe {

/// Describes which operands the backward pass of a stage uses. The lifetimes of buffers follow from this. A stage is a
/// group of layers that run as one operation.
struct StageTraits {
  bool reads_input = false;
  bool reads_output = false;
  bool takes_two_gradients = false;      ///< if two stages read the output, this stage adds their two gradients itself
  bool input_gradient_in_place = false;  ///< the gradient of the input overwrites the gradient of the output
  bool adds_input_gradient = false;      ///< if a later stage reads the same input, this stage adds its gradient to
                                         ///< that of the other stage
  bool adds_weight_gradient = false;     ///< the stage can add the gradient of its weights to that of another batch
};

/// A stage, and the numbers of the values that it reads and writes. Value 0 is the network's input; value i + 1 is the
/// output of layer i.
struct PlannedStage {
  std::vector<int> inputs;
  int output = 0;
  StageTraits traits = {};
};

/// The number that stands for "no buffer".
inline constexpr int kNone = -1;

/// One step of the backward pass: the backward pass of one stage. Each gradient is the number of a buffer in
/// BufferSchedule::buffers, or kNone.
struct BackwardStep {
  std::size_t stage = 0;
  int output_gradient = kNone;
  int second_gradient = kNone;
  int input_gradient = kNone;
  bool adds_input_gradient = false;  ///< `input_gradient` contains a gradient, to which the stage adds
  std::vector<int> more_gradients;   ///< gradients to add to `output_gradient` before the stage runs
};

/// The sizes and lifetimes of a network's buffers, and the steps of the backward pass that use the buffers. The
/// schedule is computed once for each batch size.
struct BufferSchedule {
  std::vector<Lifetime> buffers;       ///< first one buffer for each value, in the order of the values; then gradients
  std::vector<BackwardStep> backward;  ///< the steps of the backward pass, in order
  int scores_gradient = kNone;         ///< buffer for the gradient of the loss with respect to the network's output
};

enum class Mode : std::uint8_t { train, evaluate };

/// Plans the buffers. Lifetimes are given in points of time, which are numbered from 0: first the forward pass of each
/// stage, then the loss, then the backward pass of each stage in reverse order. In evaluations, the lifetime of a value
/// ends when the last stage has read it.
/// @param value_bytes the size of each value in bytes
/// @param learns true for each value that has a gradient
BufferSchedule make_buffer_schedule(const std::vector<PlannedStage>& stages,
                                    const std::vector<std::size_t>& value_bytes, const std::vector<bool>& learns,
                                    Mode mode);

/// Returns true for each value that depends on learned parameters and therefore has a gradient.
std::vector<bool> learning_values(const NetworkPlan& plan);

}  // namespace troupe
