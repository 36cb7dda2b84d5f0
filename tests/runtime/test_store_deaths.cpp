#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>
#include <vector>

#include "runtime/store/object_store.hpp"
#include "support/errors.hpp"
#include "support/open_files.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kObjectBytes = 16 * kPageBytes;
constexpr std::size_t kQuota = 8 * kObjectBytes;

ObjectId numbered(std::uint64_t shard) { return {.number = shard}; }

/// Returns every call of a client, in an order in which each call succeeds.
std::vector<std::function<void(StoreClient&)>> every_call() {
  return {
      [](StoreClient& c) { c.create(numbered(1), kObjectBytes); },
      [](StoreClient& c) { c.create(numbered(2), kObjectBytes, {.shared_writers = true}); },
      [](StoreClient& c) { c.open(numbered(2), 0, kPageBytes); },
      [](StoreClient& c) { c.seal(numbered(1)); },
      [](StoreClient& c) { c.seal(numbered(2)); },
      [](StoreClient& c) { c.get(numbered(1), kPatience); },
      [](StoreClient& c) { c.get(numbered(0), kPatience); },
      [](StoreClient& c) { c.release(numbered(2)); },
      [](StoreClient& c) { c.release(numbered(2)); },
      [](StoreClient& c) { c.create(numbered(3), kObjectBytes); },
      [](StoreClient& c) { c.release(numbered(3)); },
      [](StoreClient& c) { c.trim(); },
  };
}

/// Runs `body` in a child that ends only by SIGKILL, and reaps the child.
template <class F>
pid_t fork_client(FileDescriptor& socket, F body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    try {
      StoreClient client(store::make_socket_channel(std::move(socket)));
      body(client);
    } catch (...) {
      ::_exit(1);  // the parent expects a signal and reports this status
    }
    ::kill(::getpid(), SIGKILL);
  }
  socket.reset();
  return pid;
}

bool was_killed(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/// A store in which the test holds one object and counts the other resources.
struct Watched {
  Watched() {
    watcher->create(numbered(0), kObjectBytes);
    watcher->seal(numbered(0));
    files = open_files();
  }

  /// Requires that no descriptor of a client remains, and that all memory except the one object's is free.
  void require_as_before() const {
    REQUIRE(comes_true([&] { return open_files() == files; }));
    for (std::uint64_t shard = 1; shard < 4; ++shard)
      REQUIRE(code_of([&] { watcher->get(numbered(shard), 0ms); }) == ErrorCode::timeout);
    REQUIRE_FALSE(code_of([&] { watcher->create(numbered(4), kQuota - kObjectBytes); }));
    watcher->release(numbered(4));
    watcher->trim();
  }

  ObjectStore store{kQuota};
  std::unique_ptr<StoreClient> watcher = store.connect();
  std::size_t files = 0;
};

}  // namespace

TEST_CASE("clients killed between two calls leave no bytes and no descriptors") {
  Watched watched;
  const auto calls = every_call();
  for (std::size_t round = 0; round < 112; ++round) {
    FileDescriptor socket = watched.store.connect_process();
    const std::size_t made = round % (calls.size() + 1);
    const pid_t pid = fork_client(socket, [&](StoreClient& client) {
      for (std::size_t i = 0; i < made; ++i) calls[i](client);
    });
    REQUIRE(was_killed(pid));
    watched.require_as_before();
  }
}

TEST_CASE("clients killed during a call leave no bytes and no descriptors") {
  Watched watched;
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    FileDescriptor socket = watched.store.connect_process();
    const pid_t pid = fork_client(socket, [&](StoreClient& client) {
      for (;;) {
        for (const auto& call : every_call()) call(client);
        client.release(numbered(0));
        client.release(numbered(1));
        client.release(numbered(1));
      }
    });
    // Makes a different number of calls before the kill in each round.
    const unsigned calls = random() % 60;
    for (unsigned i = 0; i < calls; ++i) watched.watcher->seal(numbered(0));
    ::kill(pid, SIGKILL);
    REQUIRE(was_killed(pid));
    watched.require_as_before();
  }
}

TEST_CASE("after the death of a reader other clients keep the object") {
  ObjectStore store(kQuota);
  const auto owner = store.connect();
  const auto slab = owner->create(numbered(0), kObjectBytes);
  owner->seal(numbered(0));
  slab->writable_floats()[1] = 4;
  FileDescriptor socket = store.connect_process();
  REQUIRE(was_killed(fork_client(socket, [](StoreClient& client) { client.get(numbered(0), kPatience); })));
  const auto other = store.connect();
  CHECK(other->get(numbered(0), kPatience)->floats()[1] == 4);
}
