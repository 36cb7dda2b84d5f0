#include <sys/socket.h>

#include <chrono>

#include "fuzz/support.hpp"
#include "runtime/store/seqpacket.hpp"
#include "runtime/store/store_client.hpp"

using namespace troupe;
using namespace troupe::store;

namespace {

/// Accesses the first and the last float of a mapping, which must be usable.
void use(const std::shared_ptr<Mapping>& mapping, std::size_t bytes) {
  fuzz::expect(mapping->bytes() >= bytes, "the mapping has the requested size");
  if (mapping->floats().empty()) return;
  const volatile float* const data = mapping->floats().data();
  [[maybe_unused]] const float first = data[0];
  [[maybe_unused]] const float last = data[mapping->floats().size() - 1];
}

void call(StoreClient& client, std::uint8_t what) {
  ObjectId id;
  id.number = what >> 4;
  switch (what % 7) {
    case 0:
      return use(client.create(id, 64), 64);
    case 1:
      return use(client.create(id, 9000, {.shared_writers = true}), 9000);
    case 2:
      return use(client.open(id, 4096, 100), 100);
    case 3:
      return use(client.get(id, std::chrono::milliseconds(0)), 0);
    case 4:
      return client.seal(id);
    case 5:
      return client.trim();
    default:
      return client.release(id);
  }
}

/// Sends packets that a store might send, some with a file descriptor.
void answer(int socket, fuzz::Input& input) {
  for (int i = 0; i < 16 && !input.empty(); ++i) {
    const auto head = input.number<std::uint8_t>();
    const auto packet = input.take(head < 0xe0 ? sizeof(Reply) : head - 0xe0);
    FileDescriptor file;
    if ((head & 1) != 0) file = make_memory_file(std::size_t{head} * 64 + 1);
    send_packet(socket, packet, file.get());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  auto [store, ours] = make_socket_pair();
  StoreClient client(make_socket_channel(std::move(ours)));
  const auto calls = input.take(input.number<std::uint8_t>() % 8);
  answer(store.get(), input);
  // Prevents calls from waiting for more replies.
  ::shutdown(store.get(), SHUT_WR);
  for (const std::byte what : calls)
    fuzz::may_refuse([&] { call(client, std::to_integer<std::uint8_t>(what)); },
                     {ErrorCode::store_failed, ErrorCode::store_full, ErrorCode::timeout, ErrorCode::system,
                      ErrorCode::limit_reached});
  return 0;
}
