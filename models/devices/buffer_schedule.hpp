#pragma once

#include <vector>

#include "models/devices/memory_plan.hpp"
#include "models/network/network_plan.hpp"

namespace troupe {

/// What the memory plan needs to know about the backward pass of a stage: a group of layers that run as one operation.
struct StageTraits {
  bool reads_input = false;
  bool reads_output = false;
  bool takes_two_gradients = false;      ///< the stage adds a second gradient of its output itself
  bool input_gradient_in_place = false;  ///< writes the gradient of its input over the gradient of its output
};

/// The values that a stage reads and writes. Value 0 is the network's input; value i + 1 is the output of layer i.
struct PlannedStage {
  std::vector<int> inputs;
  int output = 0;
  StageTraits traits = {};
};

/// No buffer.
inline constexpr int kNone = -1;

/// The backward pass of a stage. The members are numbers of buffers.
struct BackwardStep {
  std::size_t stage = 0;
  int output_gradient = kNone;
  int second_gradient = kNone;
  int input_gradient = kNone;
  std::vector<int> more_gradients;  ///< must be added to `output_gradient` before the stage runs
};

/// The contents and lifetime of each buffer; computed once for a batch size.
struct BufferSchedule {
  std::vector<Lifetime> buffers;  ///< the first buffers hold the values, in the order of the values
  std::vector<BackwardStep> backward;
  int scores_gradient = kNone;
};

enum class Mode : std::uint8_t { train, evaluate };

/// Plans the buffers. Time runs through the stages forward, then the loss, then the stages backward. In evaluations a
/// value lives only until the last layer has read it.
/// @param value_bytes the size of each value
/// @param learns true for each value that has a gradient
BufferSchedule make_buffer_schedule(const std::vector<PlannedStage>& stages,
                                    const std::vector<std::size_t>& value_bytes, const std::vector<bool>& learns,
                                    Mode mode);

/// Returns true for each value that depends on learned parameters and therefore has a gradient.
std::vector<bool> learning_values(const NetworkPlan& plan);

}  // namespace troupe
