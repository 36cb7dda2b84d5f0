#include "actors/transport/admission/frame_filter.hpp"

#include <algorithm>

namespace troupe {

std::size_t FrameFilter::needed() const {
  return frame_.size() < wire::kHeaderBytes ? wire::kHeaderBytes : wire::kHeaderBytes + header_.payload;
}

void FrameFilter::take(std::span<const std::byte> bytes, std::vector<std::byte>& passed) {
  for (;;) {
    const auto next = bytes.first(std::min(bytes.size(), needed() - frame_.size()));
    frame_.insert(frame_.end(), next.begin(), next.end());
    bytes = bytes.subspan(next.size());
    if (frame_.size() < wire::kHeaderBytes) return;
    if (frame_.size() == wire::kHeaderBytes && !next.empty()) {
      header_ = wire::decode(std::span<const std::byte, wire::kHeaderBytes>(frame_.data(), wire::kHeaderBytes));
      announced_(header_);
    }
    if (frame_.size() < needed()) {
      if (bytes.empty()) return;
      continue;
    }
    if (judge_(header_, std::span(frame_).subspan(wire::kHeaderBytes)))
      passed.insert(passed.end(), frame_.begin(), frame_.end());
    frame_.clear();
    if (bytes.empty()) return;
  }
}

}  // namespace troupe
