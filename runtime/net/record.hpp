#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/net/aead.hpp"
#include "runtime/net/traffic_secret.hpp"

// Records as TLS 1.3 protects them (RFC 8446, 5): a header of 5 bytes, then encrypted content, its type and a tag.
namespace troupe::net {

inline constexpr std::size_t kRecordHeaderBytes = 5;
inline constexpr std::size_t kMaxRecordContent = 16 * 1024;
/// What a record adds to its content.
inline constexpr std::size_t kRecordOverhead = kRecordHeaderBytes + 1 + kAeadTagBytes;
/// The largest that a peer may send, which includes padding.
inline constexpr std::size_t kMaxRecordBytes = kRecordHeaderBytes + kMaxRecordContent + 256;

enum class ContentType : std::uint8_t { alert = 21, handshake = 22, application_data = 23 };

enum class Alert : std::uint8_t {
  close_notify = 0,
  unexpected_message = 10,
  bad_record_mac = 20,
  record_overflow = 22,
  illegal_parameter = 47,
  decode_error = 50
};

/// Of a handshake message, the only one that follows the handshake here; its last byte says whether the other side is
/// to renew its key as well.
inline constexpr std::array<std::byte, 5> kKeyUpdate = {std::byte{24}, std::byte{0}, std::byte{0}, std::byte{1},
                                                        std::byte{0}};

/// The key of one direction, which counts its records.
class RecordKey {
 public:
  /// @throws Error system
  explicit RecordKey(const TrafficSecret& secret);

  /// Writes a record of content.size() + kRecordOverhead bytes; content has at most kMaxRecordContent.
  void seal(ContentType type, std::span<const std::byte> content, std::byte* record);

  struct Opened {
    std::uint8_t type = 0;  ///< 0 when there was nothing but padding
    std::size_t bytes = 0;  ///< of content
  };
  /// Writes the content, and padding behind it, to `content`: record.size() - kRecordOverhead bytes. None when the
  /// record was changed on the way, or is not the next one.
  std::optional<Opened> open(std::span<const std::byte> record, std::byte* content);

  /// Goes on with the next key. @throws Error system
  void renew();
  /// Under the current key.
  std::uint64_t records() const { return records_; }

 private:
  AeadNonce next_nonce();

  TrafficSecret secret_;
  std::unique_ptr<Aead> aead_;
  AeadNonce iv_;
  std::uint64_t records_ = 0;
};

}  // namespace troupe::net
