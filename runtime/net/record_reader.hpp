#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/net/record.hpp"

namespace troupe::net {

/// Takes TLS records from a buffer that the connection is read into. Content goes straight to where it is wanted, when
/// all of a record fits there.
class RecordReader {
 public:
  /// @param records that are taken from the connection at once. With one, not a byte of the next is, so that nothing
  /// lies here that a poll does not see. @throws Error system
  RecordReader(const TrafficSecret& secret, std::size_t records);

  /// Where the next bytes of the connection belong, while what is there is not enough for `read`: never empty then.
  std::span<std::byte> room();
  void received(std::size_t bytes) { end_ += bytes; }
  /// For so many records from now on.
  void enlarge(std::size_t records) { buffer_.resize(records * kMaxRecordBytes); }

  /// Until `into` is full or the next record is not whole. @throws Error protocol (see `alert`), system
  std::size_t read(std::span<std::byte> into);
  /// Whether `read` has something, without more from the connection.
  bool pending() const;
  /// The other side said that nothing follows.
  bool closed() const { return closed_; }
  /// The other side renewed its key and wants us to renew ours; once.
  bool must_renew_key();
  /// What to tell the other side about the error that was thrown; close_notify when that was its own.
  Alert alert() const { return alert_; }

 private:
  std::size_t record_bytes();  ///< of the next record; 0 when it is not whole
  std::size_t take_leftover(std::span<std::byte> into);
  std::size_t open_next(std::size_t record_bytes, std::span<std::byte> into);
  void take_message(std::uint8_t type, std::span<const std::byte> content);
  [[noreturn]] void fail(Alert alert, const std::string& why);

  RecordKey key_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;  ///< of the records that are not opened yet
  std::size_t end_ = 0;
  std::vector<std::byte> leftover_;  ///< content of a record that did not fit where it was wanted
  std::size_t taken_ = 0;            ///< of it
  int without_content_ = 0;          ///< records, one behind the other
  bool closed_ = false;
  bool must_renew_key_ = false;
  Alert alert_ = Alert::close_notify;
};

}  // namespace troupe::net
