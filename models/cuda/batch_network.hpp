#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/cuda/transfers.hpp"
#include "models/devices/memory_plan.hpp"
#include "models/losses/batch_loss.hpp"

namespace troupe::cuda {

/// The network for one batch size: the operations of its layers and a memory plan, which are created once.
class BatchNetwork {
 public:
  BatchNetwork(Context& context, const PlacedNetwork& network, Transfers& transfers, PassTimes& times, const Loss& loss,
               const std::vector<bool>& learns, std::int64_t batch, Mode mode);

  /// Returns the bytes of device memory that the functions below need as `memory`. The content of the memory is not
  /// needed between calls.
  std::size_t bytes() const { return memory_.bytes; }
  /// Returns the bytes of the context's workspace that the functions below need.
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  // If `weights` is empty in the following functions, they use the weights of the previous call, which are on the
  // device.

  /// Returns the sum of the losses over the batch, and writes its gradient to `gradient`.
  /// @param context `training` must be false for a frozen network
  /// @param correct receives BatchResult::correct; may be null
  double train(std::byte* memory, const BatchContext& context, const Batch& batch, std::span<const float> weights,
               std::span<float> gradient, std::int64_t* correct);
  /// Returns the sum of the losses, the number of hits and the number of samples.
  /// @param metrics measures the outputs of each sample; may be null
  EvaluationResult evaluate(std::byte* memory, const BatchContext& context, const Batch& batch,
                            std::span<const float> weights, SampleMetrics* metrics);
  /// Writes the outputs of a batch to `to`, row-major.
  void outputs(std::byte* memory, std::span<const float> samples, std::span<const float> weights, std::span<float> to);

 private:
  void plan(const std::vector<bool>& learns, Mode mode);
  int add_buffer(std::size_t bytes);

  /// Starts copying samples and weights to the device, and converts the samples to the layout of the network's input.
  /// @param content Batch::content of the samples; see Transfers::send
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
  int scores_ = kNone;  ///< buffer for the outputs as plain rows, and afterwards for their gradient
  PinnedFloats host_scores_;
  PinnedFloats host_gradient_;
};

}  // namespace troupe::cuda
