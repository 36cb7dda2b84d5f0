#include "actors/placements/cluster/join_check.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLongestShownHost = 60;
constexpr std::int32_t kMostCores = 1 << 16;

enum class Scope : unsigned char { none, machine, link, network };

Scope reach_of(const in_addr& host) {
  const std::uint32_t address = ntohl(host.s_addr);
  if (address >> 24 == 127) return Scope::machine;
  if (address >> 16 == 0xa9fe)
    return Scope::link;  // 169.254.x.x: link-local; in clouds, the metadata service has such an address
  const bool nobody = address >> 24 == 0 || address >> 28 >= 0xe;  // 0.x.x.x, multicast and reserved addresses
  return nobody ? Scope::none : Scope::network;
}

/// Returns from where the IPv6 address `host` can be reached. Returns Scope::none for addresses that are rejected. IPv4
/// addresses in IPv6 form are rejected, because they could evade the checks for IPv4 addresses. Link-local addresses
/// are rejected, because they are valid only together with the name of a network interface, which means nothing on
/// other machines.
Scope reach_of(const in6_addr& host) {
  if (IN6_IS_ADDR_LOOPBACK(&host)) return Scope::machine;
  const bool nobody = IN6_IS_ADDR_UNSPECIFIED(&host) || IN6_IS_ADDR_MULTICAST(&host) || IN6_IS_ADDR_V4MAPPED(&host) ||
                      IN6_IS_ADDR_V4COMPAT(&host) || IN6_IS_ADDR_LINKLOCAL(&host);
  return nobody ? Scope::none : Scope::network;
}

/// Returns from where the numeric address `host` can be reached. Returns Scope::none if `host` is not a numeric
/// address, or is rejected.
Scope reach_of(const std::string& host) {
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return reach_of(four);
  in6_addr six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return reach_of(six);
  return Scope::none;
}

bool within(std::int32_t number, std::int32_t least, std::int32_t most) { return number >= least && number <= most; }

}  // namespace

std::string join_problem(const NodeJoin& join, const std::string& peer) {
  if (join.protocol != kProtocolVersion)
    return "it uses protocol version " + std::to_string(join.protocol) + "; expected " +
           std::to_string(kProtocolVersion);
  const std::string listens = "it announces the address " + printable(join.host, kLongestShownHost) + ", ";
  // Reject an address that contains a zero byte: the C functions in `reach_of` ignore the text after a zero byte, so
  // they would not check the whole address.
  const Scope reach = join.host.find('\0') == std::string::npos ? reach_of(join.host) : Scope::none;
  if (reach == Scope::none) return listens + "which other nodes cannot dial";
  if (reach != Scope::network && reach != reach_of(peer))
    return listens + "which does not match the address that it connects from";
  if (join.port == 0) return listens + "without a port";
  if (join.pid < 1 || !within(join.cores, 0, kMostCores) || !within(join.devices, 0, kMostCores))
    return "it announces " + std::to_string(join.cores) + " cores and " + std::to_string(join.devices) +
           " devices, as process " + std::to_string(join.pid);
  return "";
}

}  // namespace troupe
