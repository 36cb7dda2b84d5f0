#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/net/address.hpp"

// What somebody does who is not supposed to be there. Each returns how many bytes he got for it: of a plain connection
// all, of TLS those of the application. All wait until he is hung up on, at most 20 seconds.
namespace troupe_test {

inline constexpr int kNotHungUp = -1;

/// A TCP connection.
troupe::FileDescriptor connect_plain(const troupe::Address& to);

/// Says something without TLS.
int say_plain(const troupe::Address& to, std::span<const std::byte> bytes);

/// Shakes hands with the certificate in `folder` (none when empty), believing whatever the other side shows, and says
/// something.
/// @param version of TLS at most: 0x0303 is TLS 1.2, 0x0304 TLS 1.3
int say_over_tls(const troupe::Address& to, const std::string& folder, std::span<const std::byte> bytes,
                 int version = 0x0304);

/// Bytes that mean nothing, always the same.
std::vector<std::byte> garbage(std::size_t count);

}  // namespace troupe_test
