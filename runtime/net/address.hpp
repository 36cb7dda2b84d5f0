#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// A network address to listen at or to connect to.
struct Address {
  std::string host;  ///< host name, IPv4 address or IPv6 address (without brackets)
  std::uint16_t port = 0;

  /// Parses "HOST:PORT". An IPv6 address must be in brackets, as in "[::1]:4000".
  /// @throws Error invalid_argument for another form, or a port below `least_port`
  static Address parse(const std::string& text, std::uint16_t least_port = 0);
  /// Returns "HOST:PORT", with brackets around an IPv6 address.
  std::string text() const;
  bool operator==(const Address&) const = default;
};

/// Returns a key by which the gate counts the connections that come from one source. For an IPv4 address, the key is
/// the address. For an IPv6 address, the key is the /64 network, because one user often has such a network.
/// @param host the numeric address of a connection's peer
std::string source_of(const std::string& host);

/// Parses the address at which a process will listen: "ADDRESS" or "ADDRESS:PORT". Without a port, the result has port
/// 0, which means any free port. @throws Error invalid_argument
Address parse_listen(const std::string& text);

}  // namespace troupe
