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
  if (address >> 16 == 0xa9fe) return Scope::link;                 // 169.254, where clouds keep their metadata
  const bool nobody = address >> 24 == 0 || address >> 28 >= 0xe;  // this host; multicast and above
  return nobody ? Scope::none : Scope::network;
}

/// An IPv4 address in IPv6's clothes would be judged by the wrong rules, and a link-local one needs a scope, which
/// means nothing on other machines.
Scope reach_of(const in6_addr& host) {
  if (IN6_IS_ADDR_LOOPBACK(&host)) return Scope::machine;
  const bool nobody = IN6_IS_ADDR_UNSPECIFIED(&host) || IN6_IS_ADDR_MULTICAST(&host) || IN6_IS_ADDR_V4MAPPED(&host) ||
                      IN6_IS_ADDR_V4COMPAT(&host) || IN6_IS_ADDR_LINKLOCAL(&host);
  return nobody ? Scope::none : Scope::network;
}

/// None for what is no address at all.
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
    return "it speaks protocol " + std::to_string(join.protocol) + ", not " + std::to_string(kProtocolVersion);
  const std::string listens = "it says that it listens at " + printable(join.host, kLongestShownHost) + ", ";
  // A text that goes on behind a zero byte is another one for C's functions.
  const Scope reach = join.host.find('\0') == std::string::npos ? reach_of(join.host) : Scope::none;
  if (reach == Scope::none) return listens + "which is no address that others can dial";
  if (reach != Scope::network && reach != reach_of(peer)) return listens + "which is not where it comes from";
  if (join.port == 0) return listens + "without a port";
  if (join.pid < 1 || !within(join.cores, 0, kMostCores) || !within(join.devices, 0, kMostCores))
    return "it says that it has " + std::to_string(join.cores) + " cores and " + std::to_string(join.devices) +
           " devices, as process " + std::to_string(join.pid);
  return "";
}

}  // namespace troupe
