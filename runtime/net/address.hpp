#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// A network address to listen at or to connect to.
struct Address {
  std::string host;  ///< host name, IPv4 address or IPv6 address (without brackets)
  std::uint16_t port = 0;

  /// Parses "HOST:PORT"; an IPv6 address must be in brackets.
  /// @throws Error invalid_argument for another form, or a port below `least_port`
  static Address parse(const std::string& text, std::uint16_t least_port = 0);
  /// Returns "HOST:PORT", with brackets around an IPv6 address.
  std::string text() const;
  bool operator==(const Address&) const = default;
};

/// Returns a key for counting the connections of one source. For an IPv4 address, the key is the address; for an IPv6
/// address, its /64 network.
/// @param host a numeric address
std::string source_of(const std::string& host);

/// Parses an address to listen at: ADDRESS or ADDRESS:PORT. Without a port, the result has port 0, which means any free
/// port. @throws Error invalid_argument
Address parse_listen(const std::string& text);

}  // namespace troupe
