#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cuda/pass_times.hpp"
#include "models/data/batches/batch.hpp"

namespace troupe::cuda {

/// Layers that follow each other, whose part of the flat vectors goes between host and device in one go.
struct Bucket {
  std::size_t first_layer = 0;
  std::size_t begin = 0;  ///< floats of the flat vectors
  std::size_t end = 0;
};

/// Buckets of some megabytes, in the order of their layers, that hold all that is learned.
std::vector<Bucket> make_buckets(const PlacedNetwork& network);

/// The flat vectors on the device, and their way there and back, which the passes overlap: a layer goes forward when
/// its own weights have come, and a gradient leaves when its layers have gone backward.
class Transfers {
 public:
  Transfers(Context& context, const PlacedNetwork& network, PassTimes& times);

  const float* weights() const { return weights_.floats(); }
  /// In the element that products are computed in.
  const std::byte* product_weights() const;
  float* gradient() const { return gradient_.floats(); }

  /// Of a batch, beforehand. What is there is lost where it has to grow.
  void reserve_samples(std::size_t floats) { samples_.reserve(floats * sizeof(float)); }
  /// Begins to copy samples, unless the device has these, and statistics; what the compute stream is given from now on
  /// has them. `receive` takes the weights, unless these are empty: then the layers have those of the pass before.
  /// @param content Batch::content of the samples
  /// @param trains whether the pass that begins does
  /// @returns the samples on the device
  const float* send(std::span<const float> samples, std::uint64_t content, std::span<const float> weights, bool trains);
  /// Begins to copy those of a later pass to the same place, if it knows them and has not begun yet. The device has
  /// read the present ones.
  void send_ahead(const BatchesAhead* ahead);
  /// Copies the layer's weights; what the compute stream is given from now on has them. To be called for one layer
  /// after the other, so that the layers before compute meanwhile, also where the processor copies.
  void receive(std::size_t layer);

  /// Begins to copy a gradient to the host: statistics, where they were written, or zeros.
  void begin_gradient(std::span<float> gradient);
  /// All gradients of this layer and those behind it are queued.
  void layer_done(std::size_t layer);
  /// Waits until the gradient is there, and samples of a later pass.
  void end_gradient();

 private:
  void copy_to_device(const Stream& stream, std::span<const float> from, float* to);
  void copy_to_host(std::size_t begin, std::size_t end);
  /// What the compute stream is given from now on has what was copied.
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
  std::uint64_t coming_ = 0;       ///< what it will be when the pass has ended
  bool early_sent_ = false;        ///< samples of a later pass are on their way
  std::span<const float> source_;  ///< of the weights under way
  std::span<float> target_;        ///< of the gradient under way
  std::size_t next_ = 0;           ///< bucket to receive
  std::size_t unsent_ = 0;         ///< buckets of the gradient that are not yet on their way
};

}  // namespace troupe::cuda
