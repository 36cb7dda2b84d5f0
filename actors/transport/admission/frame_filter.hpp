#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "actors/transport/admission/wire.hpp"

namespace troupe {

/// Divides a stream of bytes into whole frames, and passes on the frames that a judge accepts. Buffers at most one
/// incomplete frame, as far as it has arrived.
class FrameFilter {
 public:
  /// Called when the header of a frame is complete.
  /// @throws Error if the frame is not allowed
  using Announced = std::function<void(const wire::Header& header)>;
  /// Called with a whole frame, which it may change. Returns false to drop the frame.
  /// @throws Error if the frame is not allowed
  using Judge = std::function<bool(const wire::Header& header, std::span<std::byte> payload)>;

  FrameFilter(Announced announced, Judge judge) : announced_(std::move(announced)), judge_(std::move(judge)) {}

  /// Takes bytes of the stream, and appends the frames that they complete to `passed`.
  void take(std::span<const std::byte> bytes, std::vector<std::byte>& passed);

 private:
  /// Returns the size of the frame in bytes, as far as it is known.
  std::size_t needed() const;

  Announced announced_;
  Judge judge_;
  std::vector<std::byte> frame_;  ///< the received part of the next frame
  wire::Header header_;           ///< the frame's header, once it is complete
};

}  // namespace troupe
