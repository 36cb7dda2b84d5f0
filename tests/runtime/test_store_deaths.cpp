#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/store/object_store.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using troupe_test::kPatience;

namespace {

constexpr std::size_t kBytes = 16 * kPageBytes;

ObjectId id(std::uint32_t shard) {
  ObjectId made;
  made.shard = shard;
  return made;
}

/// Every call a client can make, in an order in which each succeeds.
std::vector<std::function<void(StoreClient&)>> every_call() {
  return {
      [](StoreClient& c) { c.create(id(1), kBytes); },
      [](StoreClient& c) { c.create(id(2), kBytes, {.shared_writers = true}); },
      [](StoreClient& c) { c.open(id(2), 0, kPageBytes); },
      [](StoreClient& c) { c.seal(id(1)); },
      [](StoreClient& c) { c.seal(id(2)); },
      [](StoreClient& c) { c.get(id(1), kPatience); },
      [](StoreClient& c) { c.get(id(0), kPatience); },
      [](StoreClient& c) { c.release(id(2)); },
      [](StoreClient& c) { c.release(id(2)); },
      [](StoreClient& c) { c.create(id(3), kBytes); },
      [](StoreClient& c) { c.release(id(3)); },
      [](StoreClient& c) { c.trim(); },
      [](StoreClient& c) { c.commit(0); },
      [](StoreClient& c) { c.usage(); },
  };
}

/// Runs `body` in a child that ends in nothing but SIGKILL, and reaps it.
template <class F>
pid_t fork_client(FileDescriptor& socket, F body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    try {
      StoreClient client(store::make_socket_channel(std::move(socket)));
      body(client);
    } catch (...) {
      ::_exit(1);  // seen by the parent, which expects a signal
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

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

void check_as_before(StoreClient& watcher, const StoreUsage& before, std::size_t descriptors) {
  const Clock::time_point until = Clock::now() + kPatience;
  while (watcher.usage().clients != before.clients && Clock::now() < until) std::this_thread::yield();
  const StoreUsage after = watcher.usage();
  REQUIRE(after.clients == before.clients);
  REQUIRE(after.bytes == before.bytes);
  REQUIRE(after.objects == before.objects);
  REQUIRE(after.slabs == before.slabs);
  REQUIRE(open_descriptors() == descriptors);
}

/// The store's loop opens descriptors of its own for its first socket.
void warm_up(ObjectStore& store, StoreClient& watcher) {
  StoreClient(store::make_socket_channel(store.connect_process())).usage();
  const Clock::time_point until = Clock::now() + kPatience;
  while (watcher.usage().clients != 1 && Clock::now() < until) std::this_thread::yield();
}

}  // namespace

TEST_CASE("clients that are killed between any two calls leave no byte and no descriptor") {
  ObjectStore store(64 * kBytes);
  const auto watcher = store.connect();
  watcher->create(id(0), kBytes);
  watcher->seal(id(0));
  warm_up(store, *watcher);
  const StoreUsage before = watcher->usage();
  const std::size_t descriptors = open_descriptors();
  const auto calls = every_call();
  for (std::size_t round = 0; round < 112; ++round) {
    FileDescriptor socket = store.connect_process();
    const std::size_t made = round % (calls.size() + 1);
    const pid_t pid = fork_client(socket, [&](StoreClient& client) {
      for (std::size_t i = 0; i < made; ++i) calls[i](client);
    });
    REQUIRE(was_killed(pid));
    check_as_before(*watcher, before, descriptors);
  }
}

TEST_CASE("clients that are killed in the middle of calls leave no byte and no descriptor") {
  ObjectStore store(64 * kBytes);
  const auto watcher = store.connect();
  watcher->create(id(0), kBytes);
  watcher->seal(id(0));
  warm_up(store, *watcher);
  const StoreUsage before = watcher->usage();
  const std::size_t descriptors = open_descriptors();
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    FileDescriptor socket = store.connect_process();
    const pid_t pid = fork_client(socket, [&](StoreClient& client) {
      for (;;) {
        for (const auto& call : every_call()) call(client);
        client.release(id(0));
        client.release(id(1));
        client.release(id(1));
      }
    });
    // Some calls of ours pass before the kill, a number that differs from round to round.
    const unsigned calls = random() % 60;
    for (unsigned i = 0; i < calls; ++i) watcher->usage();
    ::kill(pid, SIGKILL);
    REQUIRE(was_killed(pid));
    check_as_before(*watcher, before, descriptors);
  }
}

TEST_CASE("a reader's death leaves the object to the others") {
  ObjectStore store(64 * kBytes);
  const auto owner = store.connect();
  const auto slab = owner->create(id(0), kBytes);
  owner->seal(id(0));
  slab->writable_floats()[1] = 4;
  FileDescriptor socket = store.connect_process();
  REQUIRE(was_killed(fork_client(socket, [](StoreClient& client) { client.get(id(0), kPatience); })));
  const auto other = store.connect();
  CHECK(other->get(id(0), kPatience)->floats()[1] == 4);
}
