#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/devices/statistics.hpp"
#include "models/network/device_network.hpp"

namespace troupe {

/// Base class: the memory layout in which a device stores the weights of a convolution or linear layer.
class WeightsLayout {
 public:
  WeightsLayout() = default;
  WeightsLayout(const WeightsLayout&) = delete;
  WeightsLayout& operator=(const WeightsLayout&) = delete;
  virtual ~WeightsLayout() = default;

  /// Returns the number of floats of the weights in this layout, including padding: a multiple of kChannelBlock.
  virtual std::size_t floats() const = 0;
  virtual std::size_t canonical_floats() const = 0;
  /// Returns a text that identifies the layout.
  virtual std::string text() const = 0;
  /// `to_canonical` converts `floats()` floats in this layout to `canonical_floats()` floats in canonical order.
  /// `from_canonical` converts in the other direction and fills the padding with zeros.
  virtual void to_canonical(const float* weights, float* canonical) const = 0;
  virtual void from_canonical(const float* canonical, float* weights) const = 0;
};

/// The position and layout of a layer's tensors in the flat vector. First come the layer's weights, then its vectors
/// (biases, or scale and shift of batch-norm). The running statistics of batch-norm are stored after the learned
/// parameters of all layers, in groups of 16 means and 16 variances. In canonical order, the tensors of a layer are its
/// weights, its vectors, the running mean and the running variance.
struct LayerParameters {
  int first_tensor = -1;                         ///< number of the layer's first canonical tensor; -1: no tensors
  std::shared_ptr<const WeightsLayout> weights;  ///< layout of the weights; null: no weights
  int vectors = 0;
  std::vector<std::int64_t> parts;  ///< lengths of the tensors that make up vector 0; empty: each vector is one tensor
  std::int64_t channels = 0;        ///< the length of vectors and statistics, without padding
  std::int64_t normalised = 0;      ///< number of pixels of a sample in the statistics; 0: the layer has no statistics
  std::size_t offset = 0;           ///< offset of the layer in the flat vector, in floats; a multiple of 16
  std::size_t statistics = 0;       ///< offset of the statistics in the flat vector, in floats; a multiple of 32

  /// Makes vector 0 consist of tensors of these lengths, one after the other. No lengths: the layer has no tensors.
  void set_parts(const std::vector<std::int64_t>& lengths);

  std::size_t width() const { return static_cast<std::size_t>(round_up(channels)); }
  /// Returns the offset of vector `index` in floats, relative to `offset`.
  std::size_t vector(int index) const {
    return (weights ? weights->floats() : 0) + static_cast<std::size_t>(index) * width();
  }
  /// Returns the number of learned floats of the layer, including padding.
  std::size_t size() const { return vector(vectors); }
  std::size_t statistics_size() const { return normalised > 0 ? 2 * width() : 0; }
  /// Returns the number of floats of the layer's canonical tensors.
  std::size_t canonical_floats() const;
};

/// The layout of the flat vector: first the learned tensors, layer after layer without gaps, then the statistics. Every
/// tensor starts at a multiple of 64 bytes.
class ParameterLayout {
 public:
  ParameterLayout() = default;
  /// Makes the layout: sets `offset` and `statistics` of each layer.
  explicit ParameterLayout(const std::vector<LayerParameters*>& layers);

  std::size_t size() const { return size_; }
  std::size_t learned_size() const { return learned_size_; }
  /// Returns the position in the flat vector after the last learned tensor. The floats from this position up to
  /// `learned_size` are padding.
  std::size_t padding_begin() const { return padding_begin_; }
  /// Returns a text that identifies the layout: it differs if the layout of any tensor differs.
  std::string fingerprint() const;
  /// Converts `weights`, a whole flat vector, to canonical order, and writes the canonical floats [begin, begin +
  /// part.size()) to `part`.
  void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const;
  /// Writes a whole flat vector to `weights`. Calls `read` once for each canonical tensor to obtain its values.
  void from_canonical(const ReadTensor& read, std::span<float> weights) const;

  /// Computes new running statistics for the floats from `begin` on of the flat vector; see Model::update_statistics.
  /// `mean` is computed from the following sums, which shards write in place of a gradient. Let r be the running mean
  /// of a channel. A shard whose batch has n samples, with mean m and variance v of the channel, writes n (m - r) and n
  /// (v + (m - r)^2). From the totals over all shards, the mean and variance of all samples can be computed without
  /// cancellation.
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const;

 private:
  std::vector<LayerParameters> layers_;  ///< in canonical order
  std::size_t padding_begin_ = 0;
  std::size_t learned_size_ = 0;
  std::size_t size_ = 0;
};

}  // namespace troupe
