#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "actors/transport/admission/wire.hpp"

namespace troupe {

/// Divides a stream of bytes into frames, and passes on the frames that a function (the judge) accepts. Stores at most
/// one incomplete frame, and only the bytes of it that have arrived.
class FrameFilter {
 public:
  /// A function that is called when the header of a frame has arrived, before its payload.
  /// @throws Error if the frame is not allowed
  using Announced = std::function<void(const wire::Header& header)>;
  /// A function that is called with a whole frame, and may change the frame's payload. It returns false to drop the
  /// frame.
  /// @throws Error if the frame is not allowed
  using Judge = std::function<bool(const wire::Header& header, std::span<std::byte> payload)>;

  FrameFilter(Announced announced, Judge judge) : announced_(std::move(announced)), judge_(std::move(judge)) {}

  /// Takes the next bytes of the stream. Appends the frames that these bytes complete, and that the judge accepts, to
  /// `passed`.
  void take(std::span<const std::byte> bytes, std::vector<std::byte>& passed);

 private:
  /// Returns the size of the next frame in bytes; the size of a header while the frame's header is not complete.
  std::size_t needed() const;

  Announced announced_;
  Judge judge_;
  std::vector<std::byte> frame_;  ///< the received part of the next frame
  wire::Header header_;           ///< the frame's header, once it is complete
};

}  // namespace troupe
