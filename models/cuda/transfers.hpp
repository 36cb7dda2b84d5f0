#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cuda/pass_times.hpp"
#include "models/data/batches/batch.hpp"

namespace troupe::cuda {

/// Consecutive layers whose weights, and whose gradients, are copied between host and device by one copy.
struct Bucket {
  std::size_t first_layer = 0;
  std::size_t begin = 0;  ///< the floats [begin, end) of the flat vectors
  std::size_t end = 0;
};

/// Divides all learned parameters into buckets of a few megabytes, in the order of the layers.
std::vector<Bucket> make_buckets(const PlacedNetwork& network);

/// Contains samples, weights and gradient on the device, and copies them from and to the host. Copies overlap with
/// computation. The forward pass of a layer starts as soon as the weights of its bucket have arrived. The gradient of a
/// bucket is copied as soon as the backward passes of its layers are done.
class Transfers {
 public:
  Transfers(Context& context, const PlacedNetwork& network, PassTimes& times);

  const float* weights() const { return weights_.floats(); }
  /// Returns the weights in the type in which products are computed.
  const std::byte* product_weights() const;
  float* gradient() const { return gradient_.floats(); }

  /// Allocates memory for at least `floats` floats of samples. If the memory grows, its content is lost.
  void reserve_samples(std::size_t floats) { samples_.reserve(floats * sizeof(float)); }
  /// Begins a pass. Starts copying statistics, and samples unless they are on the device already. Work that is queued
  /// on the compute stream from now on can use both. The learned weights are copied by `receive`.
  /// @param content Batch::content of the samples, by which this class recognizes samples that are on the device
  /// @param weights the whole flat vector; empty: the pass uses the weights of the previous pass
  /// @param trains true: this is a training pass
  /// @returns the address of the samples on the device
  const float* send(std::span<const float> samples, std::uint64_t content, std::span<const float> weights, bool trains);
  /// Starts copying the samples of the next pass over the current samples, if the next samples are available and their
  /// copy has not started yet. The device must not need the current samples any more.
  void send_ahead(const BatchesAhead* ahead);
  /// Starts copying the weights of a layer, if they are not copied yet. Work that is queued on the compute stream from
  /// now on can use them. Call this function directly before the work of the layer is queued. So earlier layers compute
  /// during the copy, even if the processor does the copying.
  void receive(std::size_t layer);

  /// Sets the host memory to which the gradient of this pass is copied. Starts copying the part for statistics: the
  /// sums of the forward pass, or zeros if there are none.
  void begin_gradient(std::span<float> gradient);
  /// Declares that the backward passes of this layer and all later layers are queued. Starts copying the gradients of
  /// buckets that are then complete.
  void layer_done(std::size_t layer);
  /// Starts copying the remaining gradients. Blocks until the whole gradient has arrived on the host, and the samples
  /// of the next pass, if they are being copied, on the device.
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
  std::uint64_t held_ = 0;         ///< Batch::content of the samples on the device; 0: unknown
  std::uint64_t coming_ = 0;       ///< value of `held_` after the pass
  bool early_sent_ = false;        ///< samples of a later pass are being copied
  std::span<const float> source_;  ///< the weights that are being copied
  std::span<float> target_;        ///< the gradient that is being copied
  std::size_t next_ = 0;           ///< next bucket whose weights must be copied
  std::size_t unsent_ = 0;         ///< number of gradient buckets that are not being copied yet
};

}  // namespace troupe::cuda
