#include <doctest/doctest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>

#include "runtime/clock.hpp"
#include "runtime/store/object_store.hpp"
#include "runtime/store/seqpacket.hpp"
#include "support/errors.hpp"
#include "support/few_files.hpp"
#include "support/open_files.hpp"
#include "support/patience.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kBytes = 3 * kPageBytes;

ObjectId id(std::uint64_t shard) { return {.run = 7, .number = shard}; }

/// Connects to a store directly or by socket; both have the same interface.
std::unique_ptr<StoreClient> connect(ObjectStore& store, bool socket) {
  if (!socket) return store.connect();
  return std::make_unique<StoreClient>(store::make_socket_channel(store.connect_process()));
}

store::Reply receive_reply(int socket) {
  store::Reply reply;
  const Clock::time_point until = Clock::now() + kPatience;
  auto got = store::Received::nothing;
  while (got == store::Received::nothing && Clock::now() < until)
    got = store::receive_packet(socket, std::as_writable_bytes(std::span(&reply, 1)), nullptr);
  REQUIRE(got == store::Received::packet);
  return reply;
}

bool hung_up(int socket) {
  pollfd watched{.fd = socket, .events = 0, .revents = 0};
  return ::poll(&watched, 1, 0) == 1 && (watched.revents & POLLHUP) != 0;
}

}  // namespace

TEST_CASE("an object is written once and read without a copy") {
  for (const bool socket : {false, true}) {
    ObjectStore store(1 << 20);
    const auto writer = connect(store, socket);
    const auto reader = connect(store, !socket);
    const auto slab = writer->create(id(0), kBytes);
    slab->writable_floats()[0] = 1;
    writer->seal(id(0));
    const auto seen = reader->get(id(0), kPatience);
    CHECK(seen->floats()[0] == 1);
    // The creator may write later and notifies readers by message.
    slab->writable_floats()[0] = 2;
    CHECK(seen->floats()[0] == 2);
    CHECK(seen->bytes() == kBytes);
    CHECK(code_of([&] { seen->writable_floats(); }) == ErrorCode::store_failed);
  }
}

TEST_CASE("publishing twice is harmless, and publishing by another client is refused") {
  ObjectStore store(kBytes);  // the quota allows no second slab
  const auto client = store.connect();
  const auto slab = client->create(id(0), kBytes);
  CHECK(client->create(id(0), kBytes) == slab);
  client->seal(id(0));
  client->seal(id(0));
  CHECK(code_of([&] { client->create(id(0), 2 * kBytes); }) == ErrorCode::store_failed);
  const auto other = store.connect();
  CHECK(code_of([&] { other->create(id(0), kBytes); }) == ErrorCode::store_failed);
  CHECK(code_of([&] { other->seal(id(0)); }) == ErrorCode::store_failed);
  CHECK(code_of([&] { other->seal(id(1)); }) == ErrorCode::store_failed);
  CHECK(code_of([&] { other->release(id(0)); }) == ErrorCode::store_failed);
}

TEST_CASE("slabs without references are reused by their creator") {
  ObjectStore store(3 * kBytes);
  const auto creator = store.connect();
  const auto reader = connect(store, true);
  const auto first = creator->create(id(0), kBytes);
  creator->seal(id(0));
  const auto seen = reader->get(id(0), kPatience);
  creator->release(id(0));
  CHECK(creator->create(id(1), kBytes) != first);  // a reader still uses the first slab
  reader->release(id(0));
  CHECK(creator->create(id(2), kBytes) == first);
  CHECK(reader->create(id(3), kBytes) != first);  // only the creator has the slab mapped for writing
  CHECK(code_of([&] { reader->create(id(4), kPageBytes); }) == ErrorCode::store_full);  // three slabs exist
}

TEST_CASE("a full store throws store_full, and trim frees recycled slabs") {
  ObjectStore store(4 * kBytes);
  const auto client = store.connect();
  const auto other = store.connect();
  for (std::uint64_t shard = 0; shard < 4; ++shard) client->create(id(shard), kBytes);
  CHECK(code_of([&] { client->create(id(9), kPageBytes); }) == ErrorCode::store_full);
  CHECK(code_of([&] { client->create(id(9), std::size_t{1} << 62); }) == ErrorCode::store_full);
  CHECK(message_of([&] { client->create(id(9), kPageBytes); }).find("gradient of shard 9 (generation 0)") !=
        std::string::npos);
  for (std::uint64_t shard = 0; shard < 4; ++shard) client->release(id(shard));
  CHECK(code_of([&] { other->create(id(9), kPageBytes); }) == ErrorCode::store_full);  // recycled slabs are reserved
                                                                                       // for their creator
  client->create(id(10), 4 * kBytes);  // a different size: recycled slabs are freed first
  client->release(id(10));
  client->trim();
  CHECK_FALSE(code_of([&] { other->create(id(9), 4 * kBytes); }));
}

TEST_CASE("trim does not free slabs in use") {
  ObjectStore store(2 * kBytes);
  const auto client = store.connect();
  const auto used = client->create(id(0), kBytes);
  client->seal(id(0));
  CHECK(code_of([&] { client->create(id(1), 2 * kBytes); }) == ErrorCode::store_full);
  client->trim();
  client->release(id(0));
  CHECK(client->create(id(2), kBytes) == used);
}

TEST_CASE("get waits until the object is sealed or the deadline has passed") {
  for (const bool socket : {false, true}) {
    ObjectStore store(1 << 20);
    const auto reader = connect(store, socket);
    CHECK(code_of([&] { reader->get(id(0), 20ms); }) == ErrorCode::timeout);
    CHECK(code_of([&] { reader->get(id(0), 0ms); }) == ErrorCode::timeout);

    auto writer = connect(store, !socket);
    writer->create(id(0), kBytes);
    auto sealed = std::async(std::launch::async, [&] { return reader->get(id(0), kPatience)->bytes(); });
    writer->seal(id(0));
    CHECK(sealed.get() == kBytes);
  }
}

TEST_CASE("a wait for an object fails at once when its creator ends") {
  ObjectStore store(1 << 20);
  auto writer = store.connect();
  writer->create(id(1), kBytes);
  const FileDescriptor socket = store.connect_process();
  store::Request get;
  get.id = id(1);
  get.deadline_ms = 60'000;
  store::Request second;
  second.operation = store::Operation::trim;
  second.sequence = 1;
  store::send_packet(socket.get(), std::as_bytes(std::span(&get, 1)), -1);
  store::send_packet(socket.get(), std::as_bytes(std::span(&second, 1)), -1);
  CHECK(receive_reply(socket.get()).sequence == 1);  // the answer shows that the store knows of the wait
  writer.reset();
  const store::Reply reply = receive_reply(socket.get());
  CHECK(reply.sequence == 0);
  CHECK(reply.status == store::Status::creator_died);
}

TEST_CASE("several writers share an object until it is sealed, and later writers are refused") {
  ObjectStore store(1 << 20);
  const auto driver = store.connect();
  const auto worker = connect(store, true);
  const auto whole = driver->create(id(0), kBytes, {.shared_writers = true});
  const auto part = worker->open(id(0), kPageBytes, kPageBytes);
  CHECK(code_of([&] { worker->open(id(0), 2 * kPageBytes, 2 * kPageBytes); }) == ErrorCode::store_failed);
  driver->seal(id(0));
  part->writable_floats()[0] = 5;
  CHECK(whole->floats()[kPageFloats] == 5);
  CHECK(code_of([&] { worker->open(id(0), 0, kPageBytes); }) == ErrorCode::store_failed);
  driver->create(id(1), kBytes);
  CHECK(code_of([&] { worker->open(id(1), 0, kPageBytes); }) == ErrorCode::store_failed);
}

TEST_CASE("a sealed shared object exists for its creator, too") {
  ObjectStore store(1 << 20);
  const auto driver = store.connect();
  driver->create(id(0), kBytes, {.shared_writers = true});
  CHECK_FALSE(code_of([&] { driver->create(id(0), kBytes, {.shared_writers = true}); }));
  driver->seal(id(0));
  CHECK(driver->create(id(0), kBytes, {.shared_writers = true, .may_exist = true}) == nullptr);
  CHECK(code_of([&] { driver->create(id(0), kBytes, {.shared_writers = true}); }) == ErrorCode::store_failed);
  CHECK(driver->get(id(0), 0ms)->bytes() == kBytes);
}

TEST_CASE("a shared object never gets a slab that was sealed before") {
  ObjectStore store(1 << 20);
  const auto driver = store.connect();
  const auto worker = connect(store, true);
  driver->create(id(0), kBytes);
  driver->seal(id(0));
  driver->release(id(0));
  driver->create(id(1), kBytes, {.shared_writers = true});
  CHECK(worker->open(id(1), 0, kPageBytes)->writable_floats().size() == kPageFloats);
}

TEST_CASE("a sealed memory file cannot be mapped for writing, shrunk or grown") {
  const FileDescriptor file = make_memory_file(kPageBytes);
  const Mapping before(file.get(), 0, kPageBytes, Access::write);
  seal_against_new_writers(file.get());
  before.writable_floats()[0] = 3;
  CHECK(Mapping(file.get(), 0, kPageBytes, Access::read).floats()[0] == 3);
  CHECK(code_of([&] { Mapping(file.get(), 0, kPageBytes, Access::write); }) == ErrorCode::system);
  CHECK(::ftruncate(file.get(), 0) != 0);
  CHECK(::ftruncate(file.get(), 2 * kPageBytes) != 0);
}

TEST_CASE("a slab cannot be made executable if the kernel supports such memory files") {
  constexpr unsigned kNotExecutable = 0x8;  // MFD_NOEXEC_SEAL
  const FileDescriptor probe(::memfd_create("probe", MFD_CLOEXEC | kNotExecutable));
  if (!probe) {
    MESSAGE("skipped: this kernel is older than 6.3");
    return;
  }
  const FileDescriptor file = make_memory_file(kPageBytes);
  CHECK(::fchmod(file.get(), 0600) == 0);
  CHECK(::fchmod(file.get(), 0700) != 0);
}

TEST_CASE("a client refuses a slab that is shorter than announced or could be shrunk") {
  const auto code_with = [](const FileDescriptor& file) {
    auto [store, socket] = store::make_socket_pair();
    StoreClient client(store::make_socket_channel(std::move(socket)));
    store::Reply reply;
    reply.sequence = 1;
    reply.bytes = 2 * kPageBytes;
    REQUIRE(store::send_packet(store.get(), std::as_bytes(std::span(&reply, 1)), file.get()));
    return code_of([&] { client.get(id(0), 0ms); });
  };
  CHECK(code_with({}) == ErrorCode::store_failed);
  CHECK(code_with(make_memory_file(kPageBytes)) == ErrorCode::store_failed);
  const FileDescriptor unsealed(::memfd_create("unsealed", MFD_CLOEXEC));
  REQUIRE(::ftruncate(unsealed.get(), 2 * kPageBytes) == 0);
  CHECK(code_with(unsealed) == ErrorCode::store_failed);
  CHECK_FALSE(code_with(make_memory_file(2 * kPageBytes)));
}

TEST_CASE("garbage disconnects the client that sent it and no other client") {
  ObjectStore store(1 << 20);
  const auto other = store.connect();
  const FileDescriptor quiet = store.connect_process();
  store::Request request;
  request.operation = store::Operation::trim;
  std::vector<std::vector<std::byte>> packets;
  const auto add = [&](auto change) {
    store::Request changed = request;
    change(changed);
    const auto bytes = std::as_bytes(std::span(&changed, 1));
    packets.emplace_back(bytes.begin(), bytes.end());
  };
  add([](store::Request& r) { r.magic = 0; });
  add([](store::Request& r) { r.operation = static_cast<store::Operation>(99); });
  add([](store::Request& r) { r.operation = static_cast<store::Operation>(0); });
  add([](store::Request& r) { r.id.kind = static_cast<ObjectKind>(77); });
  add([](store::Request& r) { r.deadline_ms = UINT64_MAX; });
  packets.emplace_back(1);
  packets.emplace_back(sizeof request - 1);
  packets.emplace_back(sizeof request + 1);
  packets.emplace_back(60'000, std::byte{0x41});
  for (const auto& packet : packets) {
    const FileDescriptor socket = store.connect_process();
    REQUIRE(store::send_packet(socket.get(), packet, STDIN_FILENO));
    std::byte answer{};
    const Clock::time_point until = Clock::now() + kPatience;
    auto got = store::Received::nothing;
    while (got == store::Received::nothing && Clock::now() < until)
      got = store::receive_packet(socket.get(), {&answer, 1}, nullptr);
    CHECK(got == store::Received::closed);
  }
  CHECK_FALSE(code_of([&] { other->create(id(0), kBytes); }));
  CHECK_FALSE(hung_up(quiet.get()));
}

TEST_CASE("a client that does not read its replies is disconnected") {
  ObjectStore store(1 << 20);
  const FileDescriptor socket = store.connect_process();
  store::Request request;
  request.operation = store::Operation::trim;
  const auto packet = std::as_bytes(std::span(&request, 1));
  const Clock::time_point until = Clock::now() + kPatience;
  while (!hung_up(socket.get()) && Clock::now() < until) store::send_packet(socket.get(), packet, -1);
  CHECK(hung_up(socket.get()));
}

TEST_CASE("calls on a destroyed store fail") {
  auto store = std::make_unique<ObjectStore>(1 << 20);
  const auto inside = store->connect();
  const auto outside = connect(*store, true);
  outside->create(id(0), kBytes);
  store.reset();
  CHECK(code_of([&] { inside->create(id(1), kBytes); }) == ErrorCode::store_failed);
  CHECK(code_of([&] { outside->create(id(1), kBytes); }) == ErrorCode::store_failed);
}

TEST_CASE("after a client has ended, no bytes, objects or descriptors remain") {
  ObjectStore store(2 * kBytes);
  const auto watcher = store.connect();
  const std::size_t files = open_files();
  {
    const auto first = connect(store, true);
    const auto second = store.connect();
    first->create(id(0), kBytes);
    first->seal(id(0));
    second->get(id(0), kPatience);
    second->create(id(1), kBytes, {.shared_writers = true});
    first->open(id(1), 0, kPageBytes);
  }
  CHECK(comes_true([&] { return open_files() == files; }));
  CHECK(code_of([&] { watcher->get(id(0), 0ms); }) == ErrorCode::timeout);
  CHECK_FALSE(code_of([&] { watcher->create(id(0), 2 * kBytes); }));
}

TEST_CASE("destroying the store ends a wait at once") {
  auto store = std::make_unique<ObjectStore>(1 << 20);
  const auto reader = store->connect();
  auto waiting = std::async(std::launch::async, [&] { return code_of([&] { reader->get(id(0), 100s); }); });
  store.reset();
  CHECK(waiting.get() == ErrorCode::store_failed);
}

TEST_CASE("without free descriptors for a slab, store and client report the limit") {
  for (const bool socket : {false, true}) {
    CAPTURE(socket);
    ObjectStore store;
    const auto client = connect(store, socket);
    client->trim();  // the reply shows that the store has accepted its socket
    std::vector<std::string> problems;
    for (std::size_t free = 0; free < 2; ++free) {  // no descriptor for the slab in the store, and none for the client
                                                    // that receives it
      const FewFiles few(free);
      const auto create = [&] { client->create(id(free), kBytes); };
      CHECK(code_of(create) == ErrorCode::limit_reached);
      problems.push_back(message_of([&] { client->create(id(2 + free), kBytes); }));
    }
    for (const std::string& problem : problems) CHECK(problem.find("open") != std::string::npos);
    CHECK_FALSE(code_of([&] { client->create(id(9), kBytes); }));
  }
}
