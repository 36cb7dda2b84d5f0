#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/network/device_network.hpp"
#include "reference_layers.hpp"
#include "troupe/models.hpp"

namespace troupe::test {

/// A network in plain double-precision loops over the layers in the user's order. Parameters are in canonical order.
/// Losses are sums of the samples' cross-entropy.
class ReferenceNetwork {
 public:
  ReferenceNetwork(models::Graph graph, std::vector<std::int64_t> sample_shape);

  double loss(const Batch& batch, std::span<const double> parameters) const;
  /// Returns the loss with batch-norm's running statistics.
  double evaluation_loss(const Batch& batch, std::span<const double> parameters) const;
  /// Returns the central difference of `loss` with respect to one parameter.
  double derivative(const Batch& batch, std::span<const double> parameters, std::size_t index) const;
  /// Returns the gradient by the chain rule; 0 for running statistics.
  std::vector<double> gradient(const Batch& batch, std::span<const double> parameters) const;
  /// Returns the parameters with the running statistics after a step on these shards: PyTorch's rule, momentum 0.1, on
  /// the inputs of all shards at once.
  std::vector<double> with_new_statistics(std::span<const Batch> shards, std::span<const double> parameters) const;

 private:
  /// Values of the network's input first, then of the layers.
  struct Walk {
    std::vector<Tensor> values;
    std::vector<std::size_t> parameters;  ///< offset of each layer's parameters
  };
  Walk walk(const Batch& batch, const double* parameters, bool training) const;
  std::vector<const Tensor*> inputs(const Walk& walk, std::size_t layer) const;

  models::Graph graph_;
  std::vector<std::int64_t> shape_;
};

}  // namespace troupe::test
