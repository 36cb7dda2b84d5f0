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

/// Waits for a folder to be made in a folder. Files come and go there, too: each process of ThreadSanitizer makes one.
class Lookout {
 public:
  explicit Lookout(const std::string& folder) : inotify_(::inotify_init1(IN_CLOEXEC)) {
    REQUIRE(::inotify_add_watch(inotify_.get(), folder.c_str(), IN_CREATE) >= 0);
  }
  /// Its name; empty when none comes.
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

/// A connection to the socket, as soon as it listens; none when its folder has gone before that.
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

/// True when the other side closes without a word.
bool is_turned_away(const FileDescriptor& socket) {
  std::array<char, 256> buffer{};
  return becomes_readable(socket) && ::recv(socket.get(), buffer.data(), buffer.size(), 0) <= 0;
}

}  // namespace

TEST_CASE("the search for sockets finds one that is there") {
  CHECK(inet_sockets_of(::getpid()).empty());
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::listen(socket.get(), 1) == 0);
  CHECK(inet_sockets_of(::getpid()).size() == 1);
}

TEST_CASE("neither driver nor workers have a network socket") {
  for (const char* placement : {"in-process", "processes"}) {
    Program program(train_linear({"--placement", placement, "--steps", "1000000000", "--verbose"}));
    REQUIRE(program.prints("step 3, "));
    const auto workers = children_of(program.pid());
    CHECK(workers.size() == (std::string(placement) == "processes" ? 2 : 0));
    CHECK(inet_sockets_of(program.pid()).empty());
    for (const pid_t worker : workers) CHECK(inet_sockets_of(worker).empty());
  }
}

TEST_CASE("a stranger who knocks while workers start is turned away, and the training goes on") {
  constexpr int kAttempts = 20;  // the door is open for some milliseconds only
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

TEST_CASE("the folder of the socket is for its user alone, and gone when all workers are there") {
  int seen = 0;  // it may be gone before it is looked at
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
    const int status = program.finish().status;            // standard error ends with the last worker
    CHECK((status == -SIGINT || status == 128 + SIGINT));  // by whether training had begun
    CHECK_FALSE(holds_folder(temporary));
  }
}
