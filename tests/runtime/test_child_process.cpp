#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "runtime/clock.hpp"
#include "runtime/processes/child_process.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using troupe_test::kPatience;

TEST_CASE("a child inherits exactly the descriptors it is given") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const std::string original = "/proc/$$/fd/" + std::to_string(writing.get());
  auto child =
      ChildProcess::start("/bin/sh", {"sh", "-c", "test -e " + original + " || echo closed >&7"}, {{writing.get(), 7}});
  writing.reset();
  CHECK(child.wait(kPatience));
  CHECK(child.how_it_ended() == "ended with status 0");
  std::array<char, 16> text{};
  CHECK(::read(reading.get(), text.data(), text.size() - 1) > 0);
  CHECK(std::string(text.data()) == "closed\n");
}

TEST_CASE("wait gives up in time, kill ends and reaps") {
  auto child = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {});
  CHECK_FALSE(child.wait(10ms));
  CHECK(child.how_it_ended().empty());
  child.kill();
  CHECK(child.how_it_ended() == "was ended by signal 9");
  CHECK(::kill(child.pid(), 0) != 0);
  CHECK(child.wait(0ms));
}

TEST_CASE("a child does not outlive its owner") {
  pid_t pid = 0;
  { pid = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {}).pid(); }
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a program that is not there ends with status 127") {
  auto child = ChildProcess::start("/nonexistent", {"nonexistent"}, {});
  CHECK(child.wait(kPatience));
  CHECK(child.how_it_ended() == "ended with status 127");
}

TEST_CASE("a child's status, and the signal that it was sent, as a shell tells them") {
  auto child = ChildProcess::start("/bin/sh", {"sh", "-c", "exit 3"}, {});
  CHECK(child.wait(kPatience));
  CHECK(child.exit_status() == 3);
  child.signal(SIGTERM);  // nobody there any more
  auto sleeping = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {});
  CHECK(sleeping.exit_status() == -1);
  sleeping.signal(SIGTERM);
  CHECK(sleeping.wait(kPatience));
  CHECK(sleeping.exit_status() == 128 + SIGTERM);
}
