#include <sys/socket.h>

#include <set>
#include <vector>

#include "fuzz/support.hpp"
#include "runtime/store/object_table.hpp"
#include "runtime/store/seqpacket.hpp"

using namespace troupe;
using namespace troupe::store;

namespace {

constexpr std::size_t kQuota = 1 << 16;
constexpr int kClients = 3;

/// A store's object table behind the sockets of clients that send arbitrary packets. A client that sends an invalid
/// request is disconnected.
class Store {
 public:
  Store() {
    for (int i = 0; i < kClients; ++i) add();
  }

  void receive(std::size_t client, std::span<const std::byte> packet) {
    const auto [ours, theirs] = make_socket_pair();
    if (::send(theirs.get(), packet.data(), packet.size(), MSG_DONTWAIT) != static_cast<ssize_t>(packet.size())) return;
    Request request;
    const auto got = receive_packet(ours.get(), std::as_writable_bytes(std::span(&request, 1)), nullptr);
    if (got != Received::packet || !well_formed(request)) return replace(client);
    fuzz::expect(packet.size() == sizeof request, "a request has the right size");
    const Answer answer = table_.handle(clients_[client], request);
    fuzz::expect(answer.fd < 0 || answer.reply.bytes <= kQuota, "a slab fits the quota");
    if (answer.reply.status == Status::waiting) waiting_.insert({clients_[client], request.sequence, request.id});
    check();
  }

  void replace(std::size_t client) {
    table_.drop_client(clients_[client]);
    std::erase_if(waiting_, [&](const Waiter& waiter) { return waiter.client == clients_[client]; });
    clients_[client] = table_.add_client();
    check();
  }

  void expire() {
    while (!waiting_.empty()) table_.expire(*waiting_.begin());
  }

  void end() {
    for (const ClientId client : clients_) table_.drop_client(client);
    fuzz::expect(table_.objects() == 0 && table_.bytes() == 0 && table_.clients() == 0,
                 "no resources of disconnected clients remain");
  }

 private:
  void add() { clients_.push_back(table_.add_client()); }

  void check() {
    fuzz::expect(table_.bytes() <= kQuota, "slabs do not exceed the quota");
    fuzz::expect(table_.objects() <= table_.bytes(), "each object has a slab");
    fuzz::expect(table_.clients() == kClients, "the number of clients is right");
  }

  ObjectTable table_{kQuota, [this](const Waiter& waiter, const Answer& /*answer*/) {
                       fuzz::expect(waiting_.erase(waiter) == 1, "only waiting clients are woken, once each");
                     }};
  std::vector<ClientId> clients_;
  std::set<Waiter> waiting_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  Store store;
  for (int i = 0; i < 64 && !input.empty(); ++i) {
    // The client, in the low bits; then the bytes of a request, or random bytes.
    const auto head = input.number<std::uint8_t>();
    const std::size_t client = head % kClients;
    if (head >= 0xf8) {
      store.replace(client);
    } else if (head >= 0xf0) {
      store.expire();
    } else {
      store.receive(client, input.take(head < 0xe0 ? sizeof(Request) : head - 0xe0));
    }
  }
  store.end();
  return 0;
}
