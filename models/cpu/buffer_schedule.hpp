#pragma once

#include <vector>

#include "models/cpu/memory/memory_plan.hpp"
#include "models/cpu/placed_network.hpp"

namespace troupe::cpu {

/// What runs in one go: a layer, or a convolution with the max-pooling behind it.
struct Stage {
  std::size_t first = 0;  ///< layer
  std::size_t last = 0;
  std::unique_ptr<Operation> operation;
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
/// @param learns which values have a gradient. To evaluate, a value only lives until the last layer has read it.
BufferSchedule make_buffer_schedule(const PlacedNetwork& network, const std::vector<Stage>& stages,
                                    const std::vector<bool>& learns, std::int64_t batch, Mode mode);

}  // namespace troupe::cpu
