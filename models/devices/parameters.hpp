#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/devices/statistics.hpp"
#include "models/network/device_network.hpp"

namespace troupe {

/// The memory layout that a device uses for the weights of a convolution or linear layer.
class WeightsLayout {
 public:
  WeightsLayout() = default;
  WeightsLayout(const WeightsLayout&) = delete;
  WeightsLayout& operator=(const WeightsLayout&) = delete;
  virtual ~WeightsLayout() = default;

  /// Returns the number of floats with padding: a multiple of kChannelBlock.
  virtual std::size_t floats() const = 0;
  virtual std::size_t canonical_floats() const = 0;
  /// Returns the name of the layout.
  virtual std::string text() const = 0;
  /// Converts `floats()` floats in this layout to `canonical_floats()` floats in canonical order. `from_canonical`
  /// converts in the other direction and fills the padding with zeros.
  virtual void to_canonical(const float* weights, float* canonical) const = 0;
  virtual void from_canonical(const float* canonical, float* weights) const = 0;
};

/// The position and layout of a layer's tensors in the flat vector: its weights, then its vectors (biases, or scale and
/// shift of batch-norm). The running statistics of batch-norm follow the learned parameters of all layers, in groups of
/// 16 means and 16 variances.
struct LayerParameters {
  int first_tensor = -1;                         ///< number of its first canonical tensor; -1: it has no tensors
  std::shared_ptr<const WeightsLayout> weights;  ///< canonical order: weights, vectors, running mean, running variance
  int vectors = 0;
  std::vector<std::int64_t> parts;  ///< lengths of the tensors that make up vector 0; empty: each vector is one tensor
  std::int64_t channels = 0;        ///< the length of vectors and statistics, without padding
  std::int64_t normalised = 0;      ///< number of pixels of a sample in the statistics; 0: the layer has no statistics
  std::size_t offset = 0;           ///< in floats, a multiple of 16, from the start of the flat vector
  std::size_t statistics = 0;       ///< offset of the statistics in floats, a multiple of 32

  std::size_t width() const { return static_cast<std::size_t>(round_up(channels)); }
  /// Returns the offset of vector `index` from the layer's start.
  std::size_t vector(int index) const {
    return (weights ? weights->floats() : 0) + static_cast<std::size_t>(index) * width();
  }
  /// Returns the number of learned floats.
  std::size_t size() const { return vector(vectors); }
  std::size_t statistics_size() const { return normalised > 0 ? 2 * width() : 0; }
  /// Returns the number of floats of its canonical tensors.
  std::size_t canonical_floats() const;
};

/// The layout of the flat parameter vector: layer after layer without gaps, every tensor on a 64-byte boundary, then
/// the statistics.
class ParameterLayout {
 public:
  ParameterLayout() = default;
  /// Sets `offset` and `statistics` of each layer.
  explicit ParameterLayout(const std::vector<LayerParameters*>& layers);

  std::size_t size() const { return size_; }
  std::size_t learned_size() const { return learned_size_; }
  /// Returns the end of the last learned tensor. From here to `learned_size` there is padding.
  std::size_t padding_begin() const { return padding_begin_; }
  /// Returns a text that is different if the layout of any tensor is different.
  std::string fingerprint() const;
  /// Writes the canonical floats [begin, begin + part.size()) of `weights`, a whole flat vector, to `part`.
  void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const;
  /// Writes a whole flat vector to `weights`. Obtains each canonical tensor by a call of `read`.
  void from_canonical(const ReadTensor& read, std::span<float> weights) const;

  /// Computes new running statistics for the floats from `begin` on of the flat vector; see Model::update_statistics.
  /// For these floats, shards write other sums in place of a gradient. Let r be the running mean of a channel. A shard
  /// whose batch has n samples with mean m and variance v writes n (m - r) and n (v + (m - r)^2). From the sums over
  /// the shards, the mean and variance of all samples can be computed without cancellation.
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const;

 private:
  std::vector<LayerParameters> layers_;  ///< in canonical order
  std::size_t padding_begin_ = 0;
  std::size_t learned_size_ = 0;
  std::size_t size_ = 0;
};

}  // namespace troupe
