#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "runtime/processes/child_process.hpp"
#include "runtime/processes/slowed_process.hpp"
#include "support/patience.hpp"

using namespace troupe;
using troupe_test::comes_true;

namespace {

/// Returns the state letter of the kernel; T means stopped.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(')');
  return name == std::string::npos ? '?' : text.at(name + 2);
}

}  // namespace

TEST_CASE("a slowed process is stopped and continued in turns, and continues at the end") {
  auto child = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {});
  {
    const SlowedProcess slowed(child.pid(), 4);
    for (int turn = 0; turn < 3; ++turn) {
      CHECK(comes_true([&] { return state_of(child.pid()) == 'T'; }));
      CHECK(comes_true([&] { return state_of(child.pid()) != 'T'; }));
    }
  }
  CHECK(state_of(child.pid()) != 'T');
}

TEST_CASE("a slowed process may end") {
  auto child = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {});
  const SlowedProcess slowed(child.pid(), 4);
  CHECK(comes_true([&] { return state_of(child.pid()) == 'T'; }));
  child.kill();
  CHECK(child.how_it_ended() == "was ended by signal 9");
}
