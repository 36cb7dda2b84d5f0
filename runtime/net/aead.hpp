#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace troupe::net {

inline constexpr std::size_t kAeadKeyBytes = 16;
inline constexpr std::size_t kAeadNonceBytes = 12;
inline constexpr std::size_t kAeadTagBytes = 16;

using AeadKey = std::array<std::byte, kAeadKeyBytes>;
using AeadNonce = std::array<std::byte, kAeadNonceBytes>;

/// AES-128-GCM under one key, in the shape that TLS 1.3 needs (RFC 8446, 5.2): what is encrypted are some bytes and one
/// more behind them, which may lie elsewhere. One thread at a time.
class Aead {
 public:
  virtual ~Aead() = default;
  Aead(const Aead&) = delete;
  Aead& operator=(const Aead&) = delete;

  /// Encrypts `content` and `last` to `sealed`, which takes content.size() + 1 + kAeadTagBytes bytes.
  virtual void seal(const AeadNonce& nonce, std::span<const std::byte> header, std::span<const std::byte> content,
                    std::byte last, std::byte* sealed) = 0;
  /// The opposite: writes sealed.size() - 1 - kAeadTagBytes bytes to `content` and returns the last one; none when
  /// anything was changed on the way, and what was written to `content` is worth nothing then.
  virtual std::optional<std::byte> open(const AeadNonce& nonce, std::span<const std::byte> header,
                                        std::span<const std::byte> sealed, std::byte* content) = 0;

 protected:
  Aead() = default;
};

/// The fastest that this machine has. @throws Error system
std::unique_ptr<Aead> make_aead(const AeadKey& key);

/// Runs everywhere. @throws Error system
std::unique_ptr<Aead> make_openssl_aead(const AeadKey& key);
/// Several times faster, on processors with AES instructions for wide registers (VAES); none elsewhere, and where the
/// build did not find Intel's Multi-Buffer Crypto library.
std::unique_ptr<Aead> make_ipsec_mb_aead(const AeadKey& key);

}  // namespace troupe::net
