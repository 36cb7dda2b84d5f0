#pragma once

#include <memory>

#include "models/cpu/layers/sequence/position_linear.hpp"
#include "models/losses/batch_loss.hpp"

namespace troupe::cpu {

/// Computes the last linear layer of a network with labels at each position, together with the loss, in chunks of rows.
/// So the outputs of all positions are never in memory together: for 50,000 classes they would take more memory than
/// all other values.
class Head {
 public:
  /// Returns the head of a network, or null if its last layer is of another kind.
  static std::unique_ptr<Head> make(Context& context, const PlacedLayer& last, const Loss& loss, std::int64_t batch);

  /// Returns the sum of the losses, and writes the gradients of the layer's tensors and of its input, as
  /// Operation::backward. `at.output` and `at.output_gradient` are not used.
  /// @param correct receives BatchResult::correct; may be null
  double train(const BackwardOperands& at, const Batch& batch, std::int64_t* correct);
  EvaluationResult evaluate(const ForwardOperands& at, const Batch& batch, SampleMetrics* metrics);
  /// Writes the outputs of all positions to `to`, row after row.
  void outputs(const ForwardOperands& at, float* to) const;

 private:
  Head(Context& context, const PlacedLayer& last, const Loss& loss, std::int64_t batch);

  /// Calls `work` with the first row and the number of rows of each chunk.
  template <class Work>
  void for_each_chunk(const Work& work) const;
  /// Computes the outputs of a chunk. Returns them; they are valid until the next call.
  OutputRows chunk_outputs(const void* input, const float* weights, std::int64_t first, std::int64_t rows);

  Context& context_;
  const Loss& loss_;
  LinearRows linear_;
  std::int64_t rows_;   ///< number of positions of all samples
  std::int64_t chunk_;  ///< largest number of rows of a chunk
};

}  // namespace troupe::cpu
