#pragma once

#include <span>
#include <vector>

#include "actors/control_frames.hpp"
#include "actors/transport/admission/frame_filter.hpp"

namespace troupe_test {

/// Splits a stream into complete frames.
class FramesOf {
 public:
  std::vector<Frame> take(std::span<const std::byte> bytes) {
    std::vector<Frame> whole;
    found_ = &whole;
    filter_.take(bytes, rest_);
    return whole;
  }

 private:
  std::vector<Frame>* found_ = nullptr;
  std::vector<std::byte> rest_;
  troupe::FrameFilter filter_{[](const troupe::wire::Header&) {},
                              [this](const troupe::wire::Header& head, std::span<std::byte> payload) {
                                found_->push_back(frame(head, {payload.begin(), payload.end()}));
                                return false;
                              }};
};

}  // namespace troupe_test
