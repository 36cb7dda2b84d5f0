#include "cluster/namespaces.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <stdexcept>

namespace troupe_test {
namespace {

constexpr const char* kFolder = "/run/netns";

/// Runs `ip` with these arguments and discards its output.
bool ip(const std::string& arguments) { return std::system(("ip " + arguments + " >/dev/null 2>&1").c_str()) == 0; }

void must(const std::string& arguments) {
  if (!ip(arguments)) throw std::runtime_error("ip " + arguments);
}

/// Removes namespaces of tests and of scripts/local-cluster.sh that were killed before they could clean up.
void remove_stale() {
  static const std::regex kOurs("troupe-([0-9]+)-(n[0-9]+|hub|driver)");
  std::error_code none_there;
  std::vector<std::string> stale;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, none_there)) {
    const std::string name = entry.path().filename().string();
    std::smatch parts;
    if (std::regex_match(name, parts, kOurs) && !std::filesystem::exists("/proc/" + parts[1].str()))
      stale.push_back(name);
  }
  for (const std::string& name : stale) {
    ip("netns pids " + name + " | xargs --no-run-if-empty kill -KILL");
    ip("netns del " + name);
  }
}

troupe::FileDescriptor open_namespace(const std::string& path) {
  troupe::FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw std::runtime_error("cannot open " + path);
  return fd;
}

}  // namespace

std::string Namespaces::why_not() {
  if (::geteuid() != 0) return "network namespaces need root";
  if (!ip("-V")) return "ip is missing (Debian: iproute2)";
  const std::string name = "troupe-" + std::to_string(::getpid()) + "-hub";
  const bool can = ip("netns add " + name) && ip("-n " + name + " link add name bridge type bridge");
  ip("netns del " + name);
  return can ? "" : "network namespaces cannot be made here";
}

Namespaces::Namespaces(int nodes) : prefix_("troupe-" + std::to_string(::getpid()) + "-") {
  remove_stale();
  try {
    must("netns add " + hub());
    names_.push_back(hub());
    must("-n " + hub() + " link add name bridge type bridge stp_state 0");
    must("-n " + hub() + " link set bridge up");
    names_.push_back(driver());
    connect(driver(), driver_address(), "driver");
    for (int n = 0; n < nodes; ++n) {
      names_.push_back(node(n));
      connect(node(n), address(n), "port" + std::to_string(n));
    }
  } catch (...) {
    for (const std::string& name : names_) ip("netns del " + name);
    throw;
  }
}

Namespaces::~Namespaces() {
  for (const std::string& name : names_) ip("netns del " + name);
}

void Namespaces::connect(const std::string& name, const std::string& address, const std::string& port) const {
  must("netns add " + name);
  must("-n " + hub() + " link add " + port + " type veth peer name eth0 netns " + name);
  must("-n " + hub() + " link set " + port + " master bridge up");
  must("-n " + name + " link set lo up");
  must("-n " + name + " address add " + address + "/24 dev eth0");
  must("-n " + name + " link set eth0 up");
}

void Namespaces::cut_off(int node) const { must("-n " + hub() + " link set port" + std::to_string(node) + " down"); }
void Namespaces::join_again(int node) const { must("-n " + hub() + " link set port" + std::to_string(node) + " up"); }

InNamespace::InNamespace(const std::string& name) : before_(open_namespace("/proc/thread-self/ns/net")) {
  const auto fd = open_namespace(std::string(kFolder) + "/" + name);
  if (::setns(fd.get(), CLONE_NEWNET) != 0) throw std::runtime_error("setns " + name);
}

InNamespace::~InNamespace() {
  if (::setns(before_.get(), CLONE_NEWNET) != 0) std::abort();  // this thread must not stay in the other namespace
}

}  // namespace troupe_test
