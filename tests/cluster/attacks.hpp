#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"

// Attacks on a gate. Each function returns the number of bytes received: all bytes of a plain connection, and the
// application data of a TLS connection. Each function waits up to 20 seconds for the other side to close the
// connection; otherwise it returns kNotHungUp.
namespace troupe_test {

inline constexpr int kNotHungUp = -1;

/// Opens a TCP connection.
troupe::FileDescriptor connect_plain(const troupe::Address& to);

/// Sends bytes without TLS.
int say_plain(const troupe::Address& to, std::span<const std::byte> bytes);

/// Performs a TLS handshake with the certificate in `folder` (without a certificate if `folder` is empty), accepts any
/// certificate of the other side, and sends bytes.
/// @param version the highest version of TLS: 0x0303 is TLS 1.2, 0x0304 is TLS 1.3
int say_over_tls(const troupe::Address& to, const std::string& folder, std::span<const std::byte> bytes,
                 int version = 0x0304);

/// Returns meaningless bytes, the same in every call.
std::vector<std::byte> garbage(std::size_t count);

}  // namespace troupe_test
