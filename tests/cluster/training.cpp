#include "cluster/training.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <sstream>

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {

void Training::run() try {
  while (!stop_) {
    sgd_.step();
    ++steps_;
    std::this_thread::sleep_for(5ms);  // limits the steps that the comparison must repeat
  }
} catch (const std::exception& error) {
  problem_ = error.what();
}

std::string rogue_file(const std::string& mode, const Nodes& nodes, int as) {
  return nodes.authority().folder() / (std::to_string(as) + "-" + mode);
}

std::unique_ptr<Child> start_rogue(const std::string& mode, const Nodes& nodes, int as) {
  const std::string file = rogue_file(mode, nodes, as);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return std::make_unique<Child>(
      std::vector<std::string>{program, "--rogue", mode, nodes.listen(), nodes.authority().node(as), file},
      file + ".log");
}

void check_log(const std::string& text, std::size_t most) {
  INFO(text);
  std::istringstream in(text);
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    CHECK(line.starts_with("troupe: "));
    CHECK(line.size() < 400);
    // After a run a node prints again that it waits.
    CHECK((lines.insert(line).second || contains(line, "waits for a driver")));
  }
  CHECK(contains(text, "refused"));
  CHECK(lines.size() <= most);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace troupe_test
