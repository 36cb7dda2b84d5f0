#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/devices/statistics.hpp"
#include "models/network/device_network.hpp"

namespace troupe {

/// How a device wants the weights of a convolution or linear layer to lie.
class WeightsLayout {
 public:
  WeightsLayout() = default;
  WeightsLayout(const WeightsLayout&) = delete;
  WeightsLayout& operator=(const WeightsLayout&) = delete;
  virtual ~WeightsLayout() = default;

  /// With padding; a multiple of kChannelBlock.
  virtual std::size_t floats() const = 0;
  virtual std::size_t canonical_floats() const = 0;
  /// Names the layout.
  virtual std::string text() const = 0;
  /// Writes `canonical_floats()` of `floats()`, and back, with zeros as padding.
  virtual void to_canonical(const float* weights, float* canonical) const = 0;
  virtual void from_canonical(const float* canonical, float* weights) const = 0;
};

/// A layer's place in the flat vector: its weights, then its vectors (biases; scale and shift of batch-norm). The
/// running statistics of batch-norm lie behind all learned parameters, 16 means and 16 variances in turn.
struct LayerParameters {
  int first_tensor = -1;                         ///< its first canonical tensor; -1: it has none
  std::shared_ptr<const WeightsLayout> weights;  ///< canonical order: these, vectors, running mean and variance
  int vectors = 0;
  std::vector<std::int64_t> parts;  ///< lengths of the tensors that make up vector 0; none: a vector is a tensor
  std::int64_t channels = 0;        ///< of vectors and statistics, without padding
  std::int64_t normalised = 0;      ///< pixels of a sample that statistics are taken over; 0: it has none
  std::size_t offset = 0;           ///< in floats, a multiple of 16, from the start of the flat vector
  std::size_t statistics = 0;       ///< likewise; a multiple of 32

  std::size_t width() const { return static_cast<std::size_t>(round_up(channels)); }
  /// Offset of vector `index` from the layer's start.
  std::size_t vector(int index) const {
    return (weights ? weights->floats() : 0) + static_cast<std::size_t>(index) * width();
  }
  /// Learned floats.
  std::size_t size() const { return vector(vectors); }
  std::size_t statistics_size() const { return normalised > 0 ? 2 * width() : 0; }
  /// Floats of its canonical tensors.
  std::size_t canonical_floats() const;
};

/// The flat parameter vector: layer after layer, every tensor on a 64-byte boundary and without gaps between them, then
/// the statistics.
class ParameterLayout {
 public:
  ParameterLayout() = default;
  /// Gives the layers their places.
  explicit ParameterLayout(const std::vector<LayerParameters*>& layers);

  std::size_t size() const { return size_; }
  std::size_t learned_size() const { return learned_size_; }
  /// Where the last learned tensor ends; up to `learned_size` there is padding.
  std::size_t padding_begin() const { return padding_begin_; }
  /// Changes whenever a tensor is laid out differently.
  std::string fingerprint() const;
  /// Writes the canonical floats from `begin` on, as many as `part` holds.
  void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const;
  void from_canonical(const ReadTensor& read, std::span<float> weights) const;

  /// New running statistics for the floats from `begin` of the flat vector. In place of a gradient a shard writes for
  /// a channel of running mean r, where its own batch of n samples has mean m and variance v: n (m - r) and
  /// n (v + (m - r)^2). So sums over shards give mean and variance of all samples, and nothing cancels.
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const;

 private:
  std::vector<LayerParameters> layers_;  ///< in canonical order
  std::size_t padding_begin_ = 0;
  std::size_t learned_size_ = 0;
  std::size_t size_ = 0;
};

}  // namespace troupe
