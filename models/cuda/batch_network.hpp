#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/cuda/transfers.hpp"
#include "models/devices/memory_plan.hpp"
#include "models/losses/batch_loss.hpp"

namespace troupe::cuda {

/// The network for one batch size: its operations and memory plan, created once.
class BatchNetwork {
 public:
  BatchNetwork(Context& context, const PlacedNetwork& network, Transfers& transfers, PassTimes& times, const Loss& loss,
               const std::vector<bool>& learns, std::int64_t batch, Mode mode);

  /// Returns the size in bytes of the device memory that a pass needs. The memory holds nothing between passes.
  std::size_t bytes() const { return memory_.bytes; }
  /// Returns the size in bytes of the context's workspace that a pass needs.
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  // In the following functions, empty weights mean the weights of the previous pass.

  /// Returns the loss sum of the batch and writes its gradient.
  /// @param context for a frozen network, `training` is false
  double train(std::byte* memory, const BatchContext& context, const Batch& batch, std::span<const float> weights,
               std::span<float> gradient, std::int64_t* correct);
  /// Returns the loss sum and the hits of the batch. @param metrics receives the samples; may be null
  EvaluationResult evaluate(std::byte* memory, const BatchContext& context, const Batch& batch,
                            std::span<const float> weights, SampleMetrics* metrics);
  /// Writes the outputs of a batch, row-major.
  void outputs(std::byte* memory, std::span<const float> samples, std::span<const float> weights, std::span<float> to);

 private:
  void plan(const std::vector<bool>& learns, Mode mode);
  int add_buffer(std::size_t bytes);

  /// @param content Batch::content of the samples
  void send(std::byte* memory, std::span<const float> samples, std::uint64_t content, std::span<const float> weights,
            bool trains);
  void forward(std::byte* memory, const BatchContext& context, float* statistics_sums);
  void backward(std::byte* memory, const BatchContext& context);
  void run(const BackwardStep& step, std::byte* memory, BatchContext context);
  /// Copies the outputs to the host and blocks until they have arrived.
  OutputRows receive_scores(std::byte* memory);
  void send_scores_gradient(std::byte* memory);

  std::byte* at(std::byte* memory, int buffer) const;
  const Layout& output_layout() const { return network_.layers.back().output; }
  cudaStream_t stream() const { return context_.compute().get(); }

  Context& context_;
  const PlacedNetwork& network_;
  Transfers& transfers_;
  PassTimes& times_;
  const Loss& loss_;
  std::int64_t batch_;
  std::vector<std::unique_ptr<Operation>> operations_;  ///< by layer
  BufferSchedule schedule_;
  MemoryPlan memory_;
  std::size_t workspace_bytes_ = 0;
  int scores_ = kNone;  ///< buffer of the outputs, and then of their gradient, as plain rows for the loss
  PinnedFloats host_scores_;
  PinnedFloats host_gradient_;
};

}  // namespace troupe::cuda
