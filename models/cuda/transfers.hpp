#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cuda/pass_times.hpp"
#include "models/data/batches/batch.hpp"

namespace troupe::cuda {

/// Consecutive layers whose part of the flat vectors is copied between host and device at once.
struct Bucket {
  std::size_t first_layer = 0;
  std::size_t begin = 0;  ///< floats of the flat vectors
  std::size_t end = 0;
};

/// Returns buckets of some megabytes, in the order of their layers, that contain all learned parameters.
std::vector<Bucket> make_buckets(const PlacedNetwork& network);

/// The flat vectors on the device, and their copies from and to the host. Copies overlap with the passes. A layer runs
/// forward as soon as its own weights have arrived. A gradient is sent as soon as its layers have run backward.
class Transfers {
 public:
  Transfers(Context& context, const PlacedNetwork& network, PassTimes& times);

  const float* weights() const { return weights_.floats(); }
  /// Returns the weights in the type in which products are computed.
  const std::byte* product_weights() const;
  float* gradient() const { return gradient_.floats(); }

  /// Allocates memory for the samples of a batch. Growing loses the content.
  void reserve_samples(std::size_t floats) { samples_.reserve(floats * sizeof(float)); }
  /// Starts copying samples, unless the device holds them, and statistics. Work that is queued on the compute stream
  /// from now on can use them. `receive` copies the weights; if `weights` is empty, the layers use those of the
  /// previous pass.
  /// @param content Batch::content of the samples
  /// @param trains whether this is a training pass
  /// @returns the samples on the device
  const float* send(std::span<const float> samples, std::uint64_t content, std::span<const float> weights, bool trains);
  /// Starts copying the samples of a later pass to the same memory, if they are known and the copy has not started yet.
  /// The device must have read the current samples.
  void send_ahead(const BatchesAhead* ahead);
  /// Copies the layer's weights. Work that is queued on the compute stream from now on can use them. Call it layer by
  /// layer, so that earlier layers compute meanwhile, even if the processor does the copying.
  void receive(std::size_t layer);

  /// Starts copying a gradient to the host. Copies the statistics if they were written, otherwise zeros.
  void begin_gradient(std::span<float> gradient);
  /// All gradients of this layer and later layers have been queued.
  void layer_done(std::size_t layer);
  /// Blocks until the gradient, and the samples of a later pass, have arrived.
  void end_gradient();

 private:
  void copy_to_device(const Stream& stream, std::span<const float> from, float* to);
  void copy_to_host(std::size_t begin, std::size_t end);
  /// Makes work that is queued on the compute stream from now on wait for the copies.
  void await_copies();

  Context& context_;
  PassTimes& times_;
  std::size_t learned_size_;
  std::vector<Bucket> buckets_;
  Event arrived_;
  Event computed_;
  Event early_arrived_;
  DeviceMemory samples_;
  DeviceMemory weights_;
  DeviceMemory half_weights_;
  DeviceMemory gradient_;
  std::uint64_t held_ = 0;         ///< content of the samples on the device; 0: unknown
  std::uint64_t coming_ = 0;       ///< value of `held_` after the pass
  bool early_sent_ = false;        ///< samples of a later pass are being copied
  std::span<const float> source_;  ///< the weights that are being copied
  std::span<float> target_;        ///< the gradient that is being copied
  std::size_t next_ = 0;           ///< next bucket to receive
  std::size_t unsent_ = 0;         ///< number of gradient buckets that are not being copied yet
};

}  // namespace troupe::cuda
