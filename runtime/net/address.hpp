#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// Where somebody listens.
struct Address {
  std::string host;  ///< name, IPv4 or IPv6 address (written in brackets when followed by a port)
  std::uint16_t port = 0;

  /// @throws Error invalid_argument unless `text` is HOST:PORT, with a port from `least_port` on.
  static Address parse(const std::string& text, std::uint16_t least_port = 0);
  std::string text() const;
  bool operator==(const Address&) const = default;
};

/// Whom a numeric host belongs to: an IPv4 address is somebody by itself, of an IPv6 address its network (/64).
std::string source_of(const std::string& host);

/// Takes an address to listen at: ADDRESS or ADDRESS:PORT. @throws Error invalid_argument
Address parse_listen(const std::string& text);

}  // namespace troupe
