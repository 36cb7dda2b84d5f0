#include <doctest/doctest.h>
#include <signal.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>

#include "runtime/processes/command_output.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

std::string output_of(const std::string& command) {
  CommandOutput output(command);
  std::string text;
  std::array<std::byte, 1000> bytes{};
  while (const std::size_t count = output.read(bytes)) text.append(reinterpret_cast<const char*>(bytes.data()), count);
  return text;
}

}  // namespace

TEST_CASE("the output of a command is read to its end") {
  CHECK(output_of("printf abc; printf def") == "abcdef");
  CHECK(output_of("head -c 300000 /dev/zero").size() == 300'000);
  CHECK(output_of("cat").empty());  // its standard input is empty
  CHECK(output_of("head -c 300000 /dev/zero >&2; echo done") == "done\n");
}

TEST_CASE("the error about a failed command contains the way it ended and its last line of output") {
  const auto fails = [](const std::string& command, const std::string& what) {
    std::string said = "nothing";
    try {
      output_of(command);
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::bad_file);
      said = error.what();
    }
    CHECK_MESSAGE(said.find(what) != std::string::npos, said);
  };
  fails("echo first >&2; echo 'the reason' >&2; echo >&2; exit 7", "ended with status 7: the reason");
  fails("echo some; kill -9 $$", "was ended by signal 9");
  fails("no-such-command-anywhere", "status 127");
  fails("printf '\\033[2Jx' >&2; false", "?[2Jx");
}

TEST_CASE("a command has ended even if another process holds its output open") {
  const std::string pid = output_of("sleep 1000 & echo $!");
  CHECK(::kill(std::stoi(pid), SIGKILL) == 0);
}

TEST_CASE("an unread command is killed and reaped by the destructor") {
  pid_t pid = 0;
  {
    CommandOutput output("echo $$; exec sleep 1000");
    std::string text(20, ' ');
    text.resize(output.read(std::as_writable_bytes(std::span(text))));
    pid = std::stoi(text);
    CHECK(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) == -1);  // without a wait, a zombie would remain
  CHECK(errno == ESRCH);
}
