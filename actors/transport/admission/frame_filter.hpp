#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "actors/transport/admission/wire.hpp"

namespace troupe {

/// Cuts a stream of bytes into whole frames and lets through those that a judge does. Holds at most one frame that is
/// not whole yet, as large as it has come.
class FrameFilter {
 public:
  /// Of a frame whose header is there. @throws Error where it may not come.
  using Announced = std::function<void(const wire::Header& header)>;
  /// Of a whole frame, which it may change; false leaves the frame out. @throws Error where it may not pass.
  using Judge = std::function<bool(const wire::Header& header, std::span<std::byte> payload)>;

  FrameFilter(Announced announced, Judge judge) : announced_(std::move(announced)), judge_(std::move(judge)) {}

  /// Takes bytes of the stream and appends to `passed` the frames that are whole with them.
  void take(std::span<const std::byte> bytes, std::vector<std::byte>& passed);

 private:
  /// Bytes that the frame takes, as far as it is known.
  std::size_t needed() const;

  Announced announced_;
  Judge judge_;
  std::vector<std::byte> frame_;  ///< what has come of the next one
  wire::Header header_;           ///< of it, once that is whole
};

}  // namespace troupe
