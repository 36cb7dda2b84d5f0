#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/cpu/memory/arena.hpp"
#include "models/cpu/placed_network.hpp"
#include "models/devices/buffer_schedule.hpp"
#include "models/devices/memory_plan.hpp"
#include "models/losses/batch_loss.hpp"
#include "models/network/device_network.hpp"

namespace troupe::cpu {

/// What runs in one go: a layer, or a convolution with the max-pooling behind it.
struct Stage {
  std::size_t first = 0;  ///< layer
  std::size_t last = 0;
  std::unique_ptr<Operation> operation;
};

/// The network for one batch size: primitives and memory plan, made once.
class BatchNetwork {
 public:
  BatchNetwork(Context& context, const PlacedNetwork& network, const Loss& loss, const std::vector<bool>& learns,
               std::int64_t batch, Mode mode);

  /// Of an arena to run in.
  std::size_t bytes() const { return memory_.bytes; }

  /// Loss sum of the batch; writes its gradient.
  /// @param context of a network that is frozen: not `training`
  double train(std::byte* arena, const BatchContext& context, const Batch& batch, std::span<const float> weights,
               std::span<float> gradient, Profile& profile, std::int64_t* correct);
  /// Loss sum and hits of the batch. @param metrics null, or to which its samples are added
  EvaluationResult evaluate(std::byte* arena, const ShardStep& at, const Batch& batch, std::span<const float> weights,
                            SampleMetrics* metrics);
  /// Writes the outputs of a batch, row-major.
  void outputs(std::byte* arena, const float* values, std::span<const float> weights, std::span<float> to);

 private:
  /// @param gradient to write statistics to; null to go by the running ones.
  /// @param profile null to evaluate
  void forward(std::byte* arena, const BatchContext& context, const float* values, const float* weights,
               float* gradient, Profile* profile);
  void backward(std::byte* arena, const BatchContext& context, const float* weights, std::span<float> gradient,
                Profile& profile);
  void run(const BackwardStep& step, std::byte* arena, const BatchContext& context, const float* weights,
           float* gradient);

  /// The last layer may be one of images, whose layout is the device's; the loss is taken of plain rows.
  bool scores_are_image() const;
  /// Floats of a sample's row of scores.
  std::int64_t scores_width() const;
  OutputRows scores(std::byte* arena);
  /// The loss; writes its gradient where the last layer finds it.
  double loss_gradient(std::byte* arena, const Batch& batch, std::int64_t* correct);

  const PlacedLayer& first_layer(std::size_t stage) const { return network_.layers[stages_[stage].first]; }
  /// Where a buffer lies; null for none.
  std::byte* at(std::byte* arena, int buffer) const;
  const void* value(std::byte* arena, int value) const;

  const PlacedNetwork& network_;
  const Loss& loss_;
  std::int64_t batch_;
  std::vector<Stage> stages_;
  BufferSchedule schedule_;
  MemoryPlan memory_;
  const void* input_ = nullptr;      ///< of the pass under way
  std::vector<float> plain_scores_;  ///< where the last layer is one of images
};

}  // namespace troupe::cpu
