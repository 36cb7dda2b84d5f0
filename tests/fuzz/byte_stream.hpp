#pragma once

#include <sys/eventfd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "fuzz/support.hpp"
#include "runtime/net/byte_stream.hpp"

namespace troupe::fuzz {

/// A connection with a scripted peer. The peer sends `bytes` in pieces of at most `piece` bytes, accepts all data, and
/// ends.
class ScriptedStream : public ByteStream {
 public:
  ScriptedStream(std::span<const std::byte> bytes, std::size_t piece, std::function<void()> gone = nullptr)
      : rest_(bytes), piece_(std::max<std::size_t>(piece, 1)), gone_(std::move(gone)) {}
  ScriptedStream(const ScriptedStream&) = delete;
  ScriptedStream& operator=(const ScriptedStream&) = delete;
  ~ScriptedStream() override {
    if (gone_) gone_();
  }

  Progress read_some(std::span<std::byte> into) override {
    if (rest_.empty()) return {0, Wants::closed};
    const std::size_t bytes = std::min({into.size(), rest_.size(), piece_});
    std::copy_n(rest_.begin(), bytes, into.begin());
    rest_ = rest_.subspan(bytes);
    return {bytes, bytes == into.size() ? Wants::nothing : Wants::read};
  }
  Progress write_some(std::span<const std::byte> bytes, bool /*more*/) override { return {bytes.size()}; }
  int fd() const override { return ready_.get(); }

 private:
  std::span<const std::byte> rest_;
  const std::size_t piece_;
  const std::function<void()> gone_;
  const FileDescriptor ready_{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};  ///< always ready
};

}  // namespace troupe::fuzz
