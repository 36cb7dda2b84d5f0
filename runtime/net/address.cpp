#include "runtime/net/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "troupe/error.hpp"

namespace troupe {
namespace {

[[noreturn]] void fail(const std::string& text, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "'" + text + "' is not HOST:PORT: " + why);
}

bool plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
         c == '_' || c == ':' || c == '%';
}

}  // namespace

Address Address::parse(const std::string& text, std::uint16_t least_port) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) fail(text, "the port is missing");
  Address address;
  address.host = text.substr(0, colon);
  const bool bracketed = address.host.size() >= 2 && address.host.front() == '[' && address.host.back() == ']';
  if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty()) fail(text, "the host is missing");
  if (!std::all_of(address.host.begin(), address.host.end(), plain)) fail(text, "the host has an invalid character");
  if (!bracketed && address.host.find(':') != std::string::npos) fail(text, "write an IPv6 address in brackets");

  unsigned port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc() || stop != end || port < least_port || port > 65535)
    fail(text, "a port is a number from " + std::to_string(least_port) + " to 65535");
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

Address parse_listen(const std::string& text) {
  // An IPv6 address without brackets contains several colons, and has no port.
  const bool has_port = text.find("]:") != std::string::npos ||
                        (text.find(':') != std::string::npos && text.find(':') == text.rfind(':'));
  return has_port ? Address::parse(text) : Address::parse(text + ":0");
}

std::string source_of(const std::string& host) {
  constexpr std::size_t kNetworkBytes = 8;
  std::array<char, sizeof(in6_addr)> bytes = {};
  if (::inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), bytes.data()) != 1) return host;
  return {bytes.data(), kNetworkBytes};
}

std::string Address::text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace troupe
