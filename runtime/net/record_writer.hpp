#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/net/record.hpp"

namespace troupe::net {

/// Turns bytes into TLS records in a buffer of its own, from where they are sent.
class RecordWriter {
 public:
  /// AES-GCM is good for 2^24.5 full records under one key (RFC 8446, 5.5), which a training run sends in an hour.
  static constexpr std::uint64_t kRecordsPerKey = 1 << 22;

  /// @param records in the buffer. @throws Error system
  RecordWriter(const TrafficSecret& secret, std::size_t records, std::uint64_t records_per_key = kRecordsPerKey);

  /// How many of the bytes are in the buffer now: fewer than all when it is full. @throws Error system
  std::size_t write(std::span<const std::byte> bytes);
  /// Renews the key before the next byte, as the other side asked for.
  void renew_key() { renew_ = true; }
  /// There is always room for one, behind all that was written.
  void alert(Alert alert);

  /// For so many records from now on.
  void enlarge(std::size_t records);

  std::span<const std::byte> unsent() const { return std::span(buffer_).subspan(begin_, end_ - begin_); }
  void sent(std::size_t bytes);

 private:
  void seal(ContentType type, std::span<const std::byte> content);

  RecordKey key_;
  std::uint64_t records_per_key_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;  ///< of what is not sent yet
  std::size_t end_ = 0;
  bool renew_ = false;
};

}  // namespace troupe::net
