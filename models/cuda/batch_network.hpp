#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/cuda/transfers.hpp"
#include "models/devices/memory_plan.hpp"
#include "models/losses/batch_loss.hpp"
#include "models/network/device_network.hpp"

namespace troupe::cuda {

/// A network for batches of one size: the operations of its layers and a memory plan. Both are created once, in the
/// constructor.
class BatchNetwork {
 public:
  BatchNetwork(Context& context, const PlacedNetwork& network, Transfers& transfers, PassTimes& times, const Loss& loss,
               const std::vector<bool>& learns, std::int64_t batch, Mode mode);

  /// Returns the size in bytes of the device memory that the functions below take as `memory`. The content of this
  /// memory is not needed between calls.
  std::size_t bytes() const { return memory_.bytes; }
  /// Returns the size in bytes of the context's workspace that the functions below need.
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  // If the argument `weights` of the following functions is empty, they use the weights of the previous call, which are
  // still on the device.

  /// Returns the sum of the losses over the batch, and writes the gradient of this sum to `gradient`; see
  /// DeviceNetwork::gradient.
  /// @param context `training` must be false for a frozen network
  /// @param correct receives BatchResult::correct; may be null
  double train(std::byte* memory, const BatchContext& context, const Batch& batch, std::span<const float> weights,
               std::span<float> gradient, std::int64_t* correct, MicroBatch part);
  /// Evaluates a batch. Returns the sum of the losses, the number of correctly classified samples and the number of
  /// samples.
  /// @param metrics measures the outputs of each sample; may be null
  EvaluationResult evaluate(std::byte* memory, const BatchContext& context, const Batch& batch,
                            std::span<const float> weights, SampleMetrics* metrics);
  /// Writes the outputs of a batch to `to`, row-major.
  void outputs(std::byte* memory, std::span<const float> samples, std::span<const float> weights, std::span<float> to);

 private:
  void plan(const std::vector<bool>& learns, Mode mode);
  int add_buffer(std::size_t bytes);

  /// Starts copying samples and weights to the device. On the device, converts the samples to the layout of the
  /// network's input.
  /// @param content Batch::content of the samples; see Transfers::send
  void send(std::byte* memory, std::span<const float> samples, std::uint64_t content, std::span<const float> weights,
            bool trains);
  void forward(std::byte* memory, const BatchContext& context, float* statistics_sums);
  void backward(std::byte* memory, const BatchContext& context);
  void run(const BackwardStep& step, std::byte* memory, BatchContext context);
  /// Copies the outputs of the last layer to the host, and blocks until they have arrived.
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
  std::vector<std::unique_ptr<Operation>> operations_;  ///< one for each layer
  BufferSchedule schedule_;
  MemoryPlan memory_;
  std::size_t workspace_bytes_ = 0;
  int scores_ = kNone;  ///< buffer for the outputs as plain rows, and afterwards for their gradient
  PinnedFloats host_scores_;
  PinnedFloats host_gradient_;
};

}  // namespace troupe::cuda
