#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "runtime/clock.hpp"
#include "runtime/processes/child_process.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using troupe_test::kPatience;

TEST_CASE("a child inherits exactly the given descriptors") {
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

TEST_CASE("wait returns at its timeout, and kill ends and reaps the child") {
  auto child = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {});
  CHECK_FALSE(child.wait(10ms));
  CHECK(child.how_it_ended().empty());
  child.kill();
  CHECK(child.how_it_ended() == "was ended by signal 9");
  CHECK(::kill(child.pid(), 0) != 0);
  CHECK(child.wait(0ms));
}

TEST_CASE("a child is killed with its owner") {
  pid_t pid = 0;
  { pid = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {}).pid(); }
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a program that cannot be started causes an error with the reason") {
  const auto start = [](const std::string& program, const std::string& argument) {
    return [=] { ChildProcess::start(program, {program, argument}, {}); };
  };
  CHECK(code_of(start("/nonexistent", "")) == ErrorCode::system);
  CHECK(message_of(start("/nonexistent", "")).find("cannot start /nonexistent: No such file") != std::string::npos);
  CHECK(code_of(start("/bin/true", std::string(200'000, 'x'))) == ErrorCode::limit_reached);
}

TEST_CASE("a child has the environment of this process and additional variables") {
  ::setenv("TROUPE_TEST_HERE", "here", 1);
  ::setenv("TROUPE_TEST_THERE", "here", 1);
  auto child =
      ChildProcess::start("/bin/sh", {"sh", "-c", "test $TROUPE_TEST_HERE = here && test $TROUPE_TEST_THERE = there"},
                          {}, {"TROUPE_TEST_THERE=there"});
  CHECK(child.wait(kPatience));
  CHECK(child.exit_status() == 0);
  ::unsetenv("TROUPE_TEST_HERE");
  ::unsetenv("TROUPE_TEST_THERE");
}

TEST_CASE("exit status and signal are reported as in a shell") {
  auto child = ChildProcess::start("/bin/sh", {"sh", "-c", "exit 3"}, {});
  CHECK(child.wait(kPatience));
  CHECK(child.exit_status() == 3);
  child.signal(SIGTERM);  // the child has ended already
  auto sleeping = ChildProcess::start("/bin/sleep", {"sleep", "1000"}, {});
  CHECK(sleeping.exit_status() == -1);
  sleeping.signal(SIGTERM);
  CHECK(sleeping.wait(kPatience));
  CHECK(sleeping.exit_status() == 128 + SIGTERM);
}
