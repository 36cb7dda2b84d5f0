#pragma once

#include <vector>

#include "models/devices/memory_plan.hpp"
#include "models/network/network_plan.hpp"

namespace troupe {

/// What the memory plan has to know of layers that run in one go: what they need going backward.
struct StageTraits {
  bool reads_input = false;
  bool reads_output = false;
  bool takes_two_gradients = false;      ///< adds the second one of its output itself
  bool input_gradient_in_place = false;  ///< that of its input is written over that of its output
};

/// Layers that run in one go, one after the other, by the values that they take and give. Value 0 is the network's
/// input, i + 1 the output of layer i.
struct PlannedStage {
  std::vector<int> inputs;
  int output = 0;
  StageTraits traits = {};
};

/// No buffer.
inline constexpr int kNone = -1;

/// A stage going backward, by numbers of buffers.
struct BackwardStep {
  std::size_t stage = 0;
  int output_gradient = kNone;
  int second_gradient = kNone;
  int input_gradient = kNone;
  std::vector<int> more_gradients;  ///< to be added to the first one before
};

/// Which buffer holds what, and for how long: found once for a batch size.
struct BufferSchedule {
  std::vector<Lifetime> buffers;  ///< the first ones hold the values, in their order
  std::vector<BackwardStep> backward;
  int scores_gradient = kNone;
};

enum class Mode : std::uint8_t { train, evaluate };

/// Time runs through the stages forward, then the loss, then through the stages backward.
/// @param value_bytes of each value. @param learns which values have a gradient. To evaluate, a value only lives until
/// the last layer has read it.
BufferSchedule make_buffer_schedule(const std::vector<PlannedStage>& stages,
                                    const std::vector<std::size_t>& value_bytes, const std::vector<bool>& learns,
                                    Mode mode);

/// Which values depend on something that learns, so that they have a gradient.
std::vector<bool> learning_values(const NetworkPlan& plan);

}  // namespace troupe
