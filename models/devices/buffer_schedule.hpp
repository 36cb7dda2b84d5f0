#pragma once

#include <vector>

#include "models/devices/memory_plan.hpp"
#include "models/network/network_plan.hpp"

namespace troupe {

/// Properties of the backward pass of a stage, from which the lifetimes of buffers follow. A stage is a group of layers
/// that run as one operation.
struct StageTraits {
  bool reads_input = false;
  bool reads_output = false;
  bool takes_two_gradients = false;      ///< if two stages read the output, the stage adds their two gradients itself
  bool input_gradient_in_place = false;  ///< the gradient of the input overwrites the gradient of the output
};

/// The values that a stage reads and writes. Value 0 is the network's input; value i + 1 is the output of layer i.
struct PlannedStage {
  std::vector<int> inputs;
  int output = 0;
  StageTraits traits = {};
};

/// No buffer.
inline constexpr int kNone = -1;

/// The backward pass of a stage. Gradients are numbers of buffers (BufferSchedule::buffers), or kNone.
struct BackwardStep {
  std::size_t stage = 0;
  int output_gradient = kNone;
  int second_gradient = kNone;
  int input_gradient = kNone;
  std::vector<int> more_gradients;  ///< must be added to `output_gradient` before the stage runs
};

/// The buffers of a network with their lifetimes, and the steps of the backward pass that use them. The schedule is
/// computed once for each batch size.
struct BufferSchedule {
  std::vector<Lifetime> buffers;       ///< the first buffers hold the values, in the order of the values
  std::vector<BackwardStep> backward;  ///< in the order in which they run
  int scores_gradient = kNone;         ///< buffer of the loss gradient with respect to the network's output
};

enum class Mode : std::uint8_t { train, evaluate };

/// Plans the buffers. Lifetimes are counted in points of time: the forward pass of each stage, then the loss, then the
/// backward pass of each stage in reverse order. In evaluations a value lives only until the last stage has read it.
/// @param value_bytes the size of each value
/// @param learns true for each value that has a gradient
BufferSchedule make_buffer_schedule(const std::vector<PlannedStage>& stages,
                                    const std::vector<std::size_t>& value_bytes, const std::vector<bool>& learns,
                                    Mode mode);

/// Returns true for each value that depends on learned parameters and therefore has a gradient.
std::vector<bool> learning_values(const NetworkPlan& plan);

}  // namespace troupe
