#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/cpu/onednn.hpp"

namespace troupe::cpu {

/// A layer's weights and biases in the flat vector: the weights in the layout its kernels want, then the biases.
struct LayerParameters {
  dnnl::memory::desc stored;            ///< of the weights, padding channels included
  dnnl::memory::desc plain;             ///< the same extents, row-major
  std::int64_t outputs = 0;             ///< without padding; `stored` has more rows where it pads
  std::vector<std::int64_t> positions;  ///< in a row of `plain`, of each weight of a canonical row
  std::size_t offset = 0;               ///< in floats, a multiple of 16, from the start of the flat vector

  std::int64_t padded_outputs() const { return stored.dims()[0]; }
  /// Offset of the biases from that of the weights.
  std::size_t biases() const { return stored.get_size() / sizeof(float); }
  /// Floats of weights and biases.
  std::size_t size() const { return biases() + static_cast<std::size_t>(padded_outputs()); }
};

/// The flat parameter vector: layer after layer, every tensor on a 64-byte boundary and without gaps between them.
class ParameterLayout {
 public:
  /// Gives the layer its place.
  void place(LayerParameters& layer);

  std::size_t size() const { return size_; }
  /// Changes whenever a tensor is laid out differently.
  std::string fingerprint() const;
  void to_canonical(std::span<const float> weights, std::span<float> canonical) const;
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const;

 private:
  std::vector<LayerParameters> layers_;
  std::size_t size_ = 0;
};

}  // namespace troupe::cpu
