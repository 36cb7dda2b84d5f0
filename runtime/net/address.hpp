#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// A network address to listen at or to connect to.
struct Address {
  std::string host;  ///< name, IPv4 or IPv6 address (written in brackets when followed by a port)
  std::uint16_t port = 0;

  /// @throws Error invalid_argument unless `text` is HOST:PORT with a port of at least `least_port`.
  static Address parse(const std::string& text, std::uint16_t least_port = 0);
  std::string text() const;
  bool operator==(const Address&) const = default;
};

/// Returns the key by which limits per peer count a numeric host: an IPv4 address itself; for IPv6 its network (/64).
std::string source_of(const std::string& host);

/// Parses an address to listen at: ADDRESS or ADDRESS:PORT. @throws Error invalid_argument
Address parse_listen(const std::string& text);

}  // namespace troupe
