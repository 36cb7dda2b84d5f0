#include "cli/processes.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/patience.hpp"

namespace troupe_test {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Returns the parent's pid, or -1 if the process no longer exists.
pid_t parent_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  pid_t parent = -1;
  rest >> state >> parent;
  return parent;
}

std::set<std::string> sockets_of(pid_t pid) {
  std::set<std::string> inodes;
  const std::string prefix = "socket:[";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored)) {
    const std::string target = fs::read_symlink(entry.path(), ignored).string();
    if (target.starts_with(prefix)) inodes.insert(target.substr(prefix.size(), target.size() - prefix.size() - 1));
  }
  return inodes;
}

void add_inodes(const std::string& table, std::set<std::string>& inodes) {
  constexpr int kInodeColumn = 9;
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    std::string column;
    for (int i = 0; i <= kInodeColumn; ++i) columns >> column;
    inodes.insert(column);
  }
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (is_number(name) && parent_of(name) == parent) children.push_back(static_cast<pid_t>(std::stol(name)));
  }
  std::sort(children.begin(), children.end());
  return children;
}

std::set<std::string> inet_sockets_of(pid_t pid) {
  std::set<std::string> inet;
  for (const char* table : {"tcp", "tcp6", "udp", "udp6"})
    add_inodes("/proc/" + std::to_string(pid) + "/net/" + table, inet);
  std::set<std::string> both;
  const auto own = sockets_of(pid);
  std::set_intersection(own.begin(), own.end(), inet.begin(), inet.end(), std::inserter(both, both.end()));
  return both;
}

Watch::Watch(pid_t pid) : handle_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

bool Watch::ends() const {
  pollfd waiting{handle_.get(), POLLIN, 0};
  return !handle_ || ::poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1;
}

}  // namespace troupe_test
