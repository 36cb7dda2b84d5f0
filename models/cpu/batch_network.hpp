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

/// A group of consecutive layers that runs as one operation. It consists of one layer, or of a convolution and the
/// max-pooling after it.
struct Stage {
  std::size_t first = 0;  ///< number of the first layer
  std::size_t last = 0;   ///< number of the last layer
  std::unique_ptr<Operation> operation;
};

/// A network for batches of one size: the operations of its layers and a memory plan. Both are created once, in the
/// constructor.
class BatchNetwork {
 public:
  BatchNetwork(Context& context, const PlacedNetwork& network, const Loss& loss, const std::vector<bool>& learns,
               std::int64_t batch, Mode mode);

  /// Returns the size in bytes of the arena (memory for values) that the functions below need.
  std::size_t bytes() const { return memory_.bytes; }

  /// Returns the size that Context::layer_gradient must have before `train` is called with a `slice` above 0.
  std::size_t added_bytes() const;

  /// Returns the sum of the losses over the batch, and writes the gradient of this sum to `gradient`.
  /// @param arena memory of `bytes()` bytes; its content is not needed after the call
  /// @param context `training` must be false for a frozen network. If `slice` is above 0, the gradient is added to
  /// `gradient`
  /// @param correct receives BatchResult::correct; may be null
  double train(std::byte* arena, const BatchContext& context, const Batch& batch, std::span<const float> weights,
               std::span<float> gradient, Profile& profile, std::int64_t* correct);
  /// Evaluates a batch. Returns the sum of the losses, the number of correctly classified samples and the number of
  /// samples.
  /// @param metrics measures the outputs of each sample; may be null
  EvaluationResult evaluate(std::byte* arena, const ShardStep& at, const Batch& batch, std::span<const float> weights,
                            SampleMetrics* metrics);
  /// Writes the outputs of a batch to `to`, row-major. `values` are the samples, row-major.
  void outputs(std::byte* arena, const float* values, std::span<const float> weights, std::span<float> to);

 private:
  /// Computes the forward pass of all layers.
  /// @param gradient receives, at the positions of statistics, the sums for Model::update_statistics; if null,
  /// batch-norm uses its running statistics
  /// @param profile receives the times of layers; null in evaluations
  void forward(std::byte* arena, const BatchContext& context, const float* values, const float* weights,
               float* gradient, Profile* profile);
  /// Computes the backward pass of all layers, beginning with the head, if there is one: then returns the sum of the
  /// losses, and sets `correct`.
  double backward(std::byte* arena, const BatchContext& context, const Batch& batch, const float* weights,
                  std::span<float> gradient, Profile& profile, std::int64_t* correct);
  BackwardOperands operands(const BackwardStep& step, std::byte* arena, const BatchContext& context,
                            const float* weights, float* gradient) const;
  void run(const Stage& stage, const BackwardOperands& operands);
  /// Runs the backward pass of a stage that cannot add the gradient of its weights, and adds it.
  void run_and_add(const Stage& stage, BackwardOperands operands);
  /// Returns the operands of the head for a forward pass.
  ForwardOperands head_operands(std::byte* arena, const float* weights) const;

  /// Returns true if the last layer writes images in a blocked layout. Before the loss is computed, such outputs are
  /// converted to plain rows.
  bool scores_are_image() const;
  /// Returns the number of floats from one sample's scores to those of the next sample. Scores are the outputs of the
  /// last layer.
  std::int64_t scores_width() const;
  OutputRows scores(std::byte* arena);
  /// Returns the sum of the losses. Writes the gradient of this sum with respect to the outputs of the last layer to a
  /// buffer: BufferSchedule::scores_gradient.
  double loss_gradient(std::byte* arena, const Batch& batch, std::int64_t* correct);

  const PlacedLayer& first_layer(std::size_t stage) const { return network_.layers[stages_[stage].first]; }
  /// Returns the address in `arena` of the buffer with this number. Returns null if the number is kNone.
  std::byte* at(std::byte* arena, int buffer) const;
  const void* value(std::byte* arena, int value) const;

  Context& context_;
  const PlacedNetwork& network_;
  const Loss& loss_;
  std::int64_t batch_;
  std::vector<Stage> stages_;
  std::unique_ptr<Head> head_;  ///< computes the last stage together with the loss; may be null
  BufferSchedule schedule_;
  MemoryPlan memory_;
  const void* input_ = nullptr;      ///< the network's input in the current forward and backward pass
  std::vector<float> plain_scores_;  ///< outputs as plain rows; used if the last layer writes images
};

}  // namespace troupe::cpu
