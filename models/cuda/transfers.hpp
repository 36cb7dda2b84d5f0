#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cuda/pass_times.hpp"
#include "models/network/device_network.hpp"
#include "troupe/batches.hpp"

namespace troupe::cuda {

/// A bucket: the weights (or the gradients) of a few consecutive layers, which are copied between host and device by
/// one copy.
struct Bucket {
  std::size_t first_layer = 0;
  std::size_t begin = 0;  ///< the bucket consists of the floats [begin, end) of the flat vectors
  std::size_t end = 0;
};

/// Divides all learned parameters into buckets of at least 4 MiB each, in the order of the layers. The last bucket may
/// be smaller.
std::vector<Bucket> make_buckets(const PlacedNetwork& network);

/// Holds samples, weights and gradient on the device, and copies them between host and device. Copies overlap with
/// computation. The forward pass of a layer starts as soon as the weights of its bucket have arrived on the device. The
/// gradient of a bucket is copied to the host as soon as the backward passes of its layers are done.
class Transfers {
 public:
  Transfers(Context& context, const PlacedNetwork& network, PassTimes& times);

  const float* weights() const { return weights_.floats(); }
  /// Returns the address of the weights on the device, in the type in which products are computed.
  const std::byte* product_weights() const;
  float* gradient() const { return gradient_.floats(); }

  /// Allocates device memory for at least `floats` floats of samples. If the memory grows, its content is lost.
  void reserve_samples(std::size_t floats) { samples_.reserve(floats * sizeof(float)); }
  /// Begins a pass. Starts copying statistics to the device, and also samples, unless they are on the device already.
  /// Work that is queued on the compute stream from now on can use both. `receive` copies the learned weights.
  /// @param content Batch::content of the samples; if it equals that of the samples on the device, they are not copied
  /// @param weights the whole flat vector; empty: the pass uses the weights of the previous pass
  /// @param trains true: this is a training pass
  /// @returns the address of the samples on the device
  const float* send(std::span<const float> samples, std::uint64_t content, std::span<const float> weights, bool trains);
  /// Starts copying the samples of the next pass to the device, if they are available and their copy has not started
  /// yet. They overwrite the current samples, so the work of the current pass must no longer need its samples.
  void send_ahead(const BatchesAhead* ahead);
  /// Starts copying the weights of a layer to the device, unless their copy has started already. Work that is queued on
  /// the compute stream from now on can use these weights. Call `receive` directly before the work of the layer is
  /// queued. So earlier layers compute during the copy, even if the processor does the copying.
  void receive(std::size_t layer);

  /// Allocates the device memory in which the gradients of micro-batches are added.
  void reserve_sum();
  /// Sets the host memory to which the gradient of this pass is copied. Starts copying the floats at the positions of
  /// statistics: the sums of the forward pass, or zeros if it has written none.
  /// @param part the place of a micro-batch. The gradients of all micro-batches are added on the device, and their sum
  /// is copied after the last one. Others than the first one need `reserve_sum`
  void begin_gradient(std::span<float> gradient, MicroBatch part);
  /// Must be called when the backward passes of layer `layer` and of all later layers are queued. Starts copying the
  /// gradients of those buckets that are complete as a result.
  void layer_done(std::size_t layer);
  /// Starts copying the remaining gradients to the host. Blocks until the whole gradient has arrived on the host. If
  /// `send_ahead` has started a copy, also blocks until the samples of the next pass have arrived on the device.
  void end_gradient();

 private:
  void copy_to_device(const Stream& stream, std::span<const float> from, float* to);
  void clear(const DeviceMemory& memory);
  /// Adds the gradients of earlier micro-batches to the floats [begin, end) of the gradient, and starts copying the sum
  /// to the host if this is the last micro-batch.
  void finish(std::size_t begin, std::size_t end);
  void copy_to_host(std::size_t begin, std::size_t end);
  /// Makes all work that is queued on the compute stream from now on wait for the copies that are queued so far.
  void await_copies();
  void await_computation();

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
  DeviceMemory sum_;               ///< sum of the gradients of earlier micro-batches
  MicroBatch part_;                ///< the place of this pass's micro-batch
  std::uint64_t held_ = 0;         ///< Batch::content of the samples on the device; 0: unknown
  std::uint64_t coming_ = 0;       ///< value that `held_` will have after the pass
  bool early_sent_ = false;        ///< true if the samples of the next pass are being copied
  std::span<const float> source_;  ///< the weights on the host, from which `receive` copies
  std::span<float> target_;        ///< the gradient on the host, to which gradients are copied
  std::size_t next_ = 0;           ///< number of the next bucket whose weights must be copied
  std::size_t unsent_ = 0;         ///< number of buckets whose gradient is not being copied yet
};

}  // namespace troupe::cuda
