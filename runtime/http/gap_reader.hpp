#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/files/byte_source.hpp"

namespace troupe {

/// Reads an object on a server in ascending order with gaps, such as the headers of the members of an archive. If a
/// request takes longer than the transfer of the bytes in a gap, transfers these bytes, too.
class GapReader final : public ByteSource {
 public:
  explicit GapReader(std::shared_ptr<const ByteSource> from) : from_(std::move(from)) {}

  const std::string& path() const override { return from_->path(); }
  std::uint64_t size() const override { return from_->size(); }
  std::int64_t modified() const override { return from_->modified(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override;
  void check_unchanged() const override { from_->check_unchanged(); }

 private:
  /// What is known about the reads so far, and the bytes that were transferred last.
  struct State {
    std::vector<std::byte> bytes;
    std::uint64_t offset = 0;  ///< of the first of `bytes`
    std::uint64_t end = 0;     ///< where the last read ended
    double gap = 0;            ///< mean number of bytes between two reads, the latest with the largest weight
    Clock::duration request = Clock::duration::max();  ///< the shortest time of a short request
  };

  bool holds(std::uint64_t offset, std::size_t count) const;
  void note_gap(std::uint64_t offset) const;
  void transfer(std::uint64_t offset, std::size_t count) const;

  std::shared_ptr<const ByteSource> from_;
  mutable std::mutex mutex_;
  mutable State state_;
};

}  // namespace troupe
