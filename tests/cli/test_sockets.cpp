#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "cli/processes.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using troupe::FileDescriptor;
using troupe::testing::TemporaryFolder;

namespace {

bool becomes_readable(const FileDescriptor& descriptor) {
  pollfd waiting{descriptor.get(), POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1;
}

/// Waits for a new folder in a folder. Files also come and go there: each process of ThreadSanitizer creates one.
class Lookout {
 public:
  explicit Lookout(const std::string& folder) : inotify_(::inotify_init1(IN_CLOEXEC)) {
    REQUIRE(::inotify_add_watch(inotify_.get(), folder.c_str(), IN_CREATE) >= 0);
  }
  /// Returns the folder's name, or an empty text on timeout.
  std::string next() const {
    while (becomes_readable(inotify_)) {
      alignas(inotify_event) std::array<char, 4096> buffer{};
      const ssize_t got = ::read(inotify_.get(), buffer.data(), buffer.size());
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        if ((event->mask & IN_ISDIR) != 0) return event->name;
        at += static_cast<ssize_t>(sizeof *event + event->len);
      }
    }
    return "";
  }

 private:
  FileDescriptor inotify_;
};

bool holds_folder(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator entries(folder.path());
  return std::any_of(begin(entries), end(entries), [](const auto& entry) { return entry.is_directory(); });
}

/// Connects to the socket once it listens. Returns an invalid descriptor if the folder disappears first.
FileDescriptor connect_to(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/driver";
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  while (std::filesystem::exists(folder))
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  return {};
}

/// Returns whether the other side closes the connection without sending data.
bool is_turned_away(const FileDescriptor& socket) {
  std::array<char, 256> buffer{};
  return becomes_readable(socket) && ::recv(socket.get(), buffer.data(), buffer.size(), 0) <= 0;
}

}  // namespace

TEST_CASE("the search for sockets finds an open socket") {
  CHECK(inet_sockets_of(::getpid()).empty());
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::listen(socket.get(), 1) == 0);
  CHECK(inet_sockets_of(::getpid()).size() == 1);
}

TEST_CASE("driver and workers have no network socket") {
  for (const char* placement : {"in-process", "processes"}) {
    Program program(train_linear({"--placement", placement, "--steps", "1000000000", "--verbose"}));
    REQUIRE(program.prints("step 3, "));
    const auto workers = children_of(program.pid());
    CHECK(workers.size() == (std::string(placement) == "processes" ? 2 : 0));
    CHECK(inet_sockets_of(program.pid()).empty());
    for (const pid_t worker : workers) CHECK(inet_sockets_of(worker).empty());
  }
}

TEST_CASE("an unknown process that connects while workers start is refused, and the training continues") {
  constexpr int kAttempts = 20;  // the socket exists for a few milliseconds only
  int heard = 0;
  for (int attempt = 0; attempt < kAttempts && heard < 3; ++attempt) {
    const TemporaryFolder temporary;
    const Lookout lookout(temporary.path().string());
    Program program(train_linear({"--placement", "processes", "--workers", "4", "--steps", "5", "--quiet"}),
                    {.temporary = temporary.path().string()});
    const std::string folder = lookout.next();
    REQUIRE_FALSE(folder.empty());
    const FileDescriptor stranger = connect_to(temporary / folder);
    if (stranger) {
      ++heard;
      const std::string garbage(5000, '\xff');
      ::send(stranger.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
      CHECK(is_turned_away(stranger));
    }
    const Finished run = program.finish();
    CHECK_MESSAGE(run.status == 0, run.err);
    CHECK(run.out.find("weights sha256") == 0);
  }
  CHECK(heard > 0);
}

TEST_CASE("only the user can access the folder of the socket, and it is removed when all workers have joined") {
  int seen = 0;  // the folder may be removed before the test sees it
  for (int attempt = 0; attempt < 20 && seen == 0; ++attempt) {
    const TemporaryFolder temporary;
    const Lookout lookout(temporary.path().string());
    Program program(train_linear({"--placement", "processes", "--steps", "1000000000", "--verbose"}),
                    {.temporary = temporary.path().string()});
    const std::filesystem::file_status status = std::filesystem::status(temporary / lookout.next());
    if (std::filesystem::exists(status)) {
      CHECK(status.permissions() == std::filesystem::perms::owner_all);
      ++seen;
    }
    REQUIRE(program.prints("step 1, "));
    CHECK_FALSE(holds_folder(temporary));
  }
  CHECK(seen > 0);
}

TEST_CASE("an interrupt while workers start leaves no folder and no process") {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const TemporaryFolder temporary;
    const Lookout lookout(temporary.path().string());
    Program program(train_linear({"--placement", "processes", "--workers", "4", "--steps", "1000000000"}),
                    {.temporary = temporary.path().string()});
    REQUIRE_FALSE(lookout.next().empty());
    ::kill(-program.pid(), SIGINT);
    const int status = program.finish().status;            // standard error closes when the last worker ends
    CHECK((status == -SIGINT || status == 128 + SIGINT));  // depends on whether training had begun
    CHECK_FALSE(holds_folder(temporary));
  }
}
