#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/protocol.hpp"

namespace troupe::store {

using ClientId = std::uint64_t;

/// The result of a request. The table owns `fd`, which is valid until the next call.
struct Answer {
  Reply reply;
  int fd = -1;
};

/// A `get` request that waits until its object is sealed.
struct Waiter {
  ClientId client = 0;
  std::uint64_t sequence = 0;
  ObjectId id;
  auto operator<=>(const Waiter&) const = default;
};

/// The bookkeeping of a store: objects, slabs, clients and references. Not thread-safe. Does no input or output, except
/// for making memory files.
class ObjectTable {
 public:
  /// Called with the answer to a waiter.
  using Wake = std::function<void(const Waiter&, const Answer&)>;

  ObjectTable(std::size_t quota_bytes, Wake wake) : quota_(quota_bytes), wake_(std::move(wake)) {}

  ClientId add_client();
  /// Removes a client: deletes its unsealed objects, drops its references, and answers the waiters for its objects.
  void drop_client(ClientId client);
  /// Handles a request. Status `waiting` means that the answer follows through `wake`, at the latest after `expire`.
  Answer handle(ClientId client, const Request& request);
  void expire(const Waiter& waiter);

  /// Returns the bytes of all slabs, including free slabs that wait for reuse.
  std::size_t bytes() const { return used_; }
  std::size_t objects() const { return objects_.size(); }
  std::size_t clients() const { return clients_.size(); }

 private:
  struct Slab {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
    FileDescriptor file;
    bool sealed = false;
  };
  struct Object {
    Slab slab;
    ClientId creator = 0;
    bool sealed = false;
    bool shared_writers = false;
    std::map<ClientId, std::uint64_t> references;
  };
  struct Client {
    std::set<ObjectId> referenced;
    std::list<Slab> free_slabs;  ///< reused by this client only, which alone has them mapped for writing
  };
  using Objects = std::map<ObjectId, Object>;

  Answer create(ClientId client, const Request& request);
  Answer open(ClientId client, const Request& request);
  Answer seal(ClientId client, const Request& request);
  Answer get(ClientId client, const Request& request);
  Answer release(ClientId client, const Request& request);
  Answer trim(ClientId client, std::uint64_t slab);

  static Answer answer_with(const Slab& slab);
  bool take_slab(Client& client, std::size_t bytes, bool recycle, Slab& slab);
  void refer(ClientId client, Objects::iterator object);
  void free_if_unused(Objects::iterator object);
  void erase(Objects::iterator object, Status tell_waiters);
  void wake_waiters(const ObjectId& id, const Answer& answer);

  std::size_t quota_;
  Wake wake_;
  std::size_t used_ = 0;
  std::uint64_t next_slab_ = 1;
  ClientId next_client_ = 1;
  Objects objects_;
  std::map<ClientId, Client> clients_;
  std::set<Waiter> waiters_;
};

}  // namespace troupe::store
