#include "cli/hosts_file.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "runtime/files/input_file.hpp"

namespace troupe::cli {
namespace {

constexpr std::string_view kSpace = " \t\r";

bool belongs(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._-@:%[]").find(c) != std::string::npos;
}

/// Returns whether a text can be the name of a host. A text that starts with '-' is refused, because the remote shell
/// would interpret it as an option.
bool is_host(const std::string& text) { return text.front() != '-' && std::all_of(text.begin(), text.end(), belongs); }

std::string trim(std::string text) {
  text.erase(std::min(text.find('#'), text.size()));
  text.erase(text.find_last_not_of(kSpace) + 1);
  text.erase(0, text.find_first_not_of(kSpace));
  return text;
}

}  // namespace

std::vector<std::string> read_hosts(const std::string& path) {
  std::istringstream lines(InputFile(path).read_text(kMostText));
  std::vector<std::string> hosts;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string host = trim(line);
    if (host.empty()) continue;
    if (!is_host(host)) throw_bad_file(path, "line " + std::to_string(number) + " is not a host: '" + host + "'");
    hosts.push_back(host);
  }
  if (hosts.empty()) throw_bad_file(path, "the file contains no host");
  return hosts;
}

}  // namespace troupe::cli
