#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "actors/transport/admission/wire.hpp"

namespace troupe {

/// Divides a stream of bytes into frames, and passes on the frames that a function (the judge) accepts. Stores at most
/// the bytes of one incomplete frame.
class FrameFilter {
 public:
  /// A function that is called when the header of a frame has arrived, before the frame's payload arrives.
  /// @throws Error if the frame is not allowed
  using Announced = std::function<void(const wire::Header& header)>;
  /// A function that is called with a whole frame, and may change the frame's payload. It returns false if the frame
  /// must be dropped.
  /// @throws Error if the frame is not allowed
  using Judge = std::function<bool(const wire::Header& header, std::span<std::byte> payload)>;

  FrameFilter(Announced announced, Judge judge) : announced_(std::move(announced)), judge_(std::move(judge)) {}

  /// Takes the next bytes of the stream. If these bytes complete a frame, and the judge accepts the frame, appends the
  /// frame to `passed`. The bytes may complete several frames.
  void take(std::span<const std::byte> bytes, std::vector<std::byte>& passed);

 private:
  /// Returns the number of bytes that `frame_` must have before the next action: the size of the frame, or only the
  /// size of a header while the header is not complete.
  std::size_t needed() const;

  Announced announced_;
  Judge judge_;
  std::vector<std::byte> frame_;  ///< the received part of the next frame
  wire::Header header_;           ///< the frame's header, once it is complete
};

}  // namespace troupe
