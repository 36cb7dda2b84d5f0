#pragma once

#include <array>
#include <cstddef>

#include "runtime/net/aead.hpp"

namespace troupe::net {

/// The secret that one direction of a TLS 1.3 connection draws its keys from (RFC 8446, 7), with SHA-256. Wiped at its
/// end.
class TrafficSecret {
 public:
  static constexpr std::size_t kBytes = 32;

  explicit TrafficSecret(const std::array<std::byte, kBytes>& bytes) : bytes_(bytes) {}
  ~TrafficSecret();
  TrafficSecret(const TrafficSecret&) = default;
  TrafficSecret& operator=(const TrafficSecret&) = default;

  /// @throws Error system
  AeadKey key() const;
  /// What numbers of records are mixed with. @throws Error system
  AeadNonce iv() const;
  /// The one that follows when a side renews its key. @throws Error system
  TrafficSecret next() const;

 private:
  std::array<std::byte, kBytes> bytes_;
};

}  // namespace troupe::net
