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

/// The answer to a request. The table owns the descriptor `fd`, which is valid until the next call; -1: the answer has
/// none.
struct Answer {
  Reply reply;
  int fd = -1;
};

/// A `get` request of a client that waits until its object is sealed.
struct Waiter {
  ClientId client = 0;
  std::uint64_t sequence = 0;  ///< the request's number
  ObjectId id;
  auto operator<=>(const Waiter&) const = default;
};

/// The table of a store: objects, slabs, clients and their references to objects. Not thread-safe. Makes memory files,
/// but does no other input or output.
class ObjectTable {
 public:
  /// Called with a waiting request and its answer.
  using Wake = std::function<void(const Waiter&, const Answer&)>;

  ObjectTable(std::size_t quota_bytes, Wake wake) : quota_(quota_bytes), wake_(std::move(wake)) {}

  /// Adds a client, and returns its number.
  ClientId add_client();
  /// Removes a client. Deletes the unsealed objects that it has created, answers the requests that wait for these, and
  /// drops the client's references.
  void drop_client(ClientId client);
  /// Handles a request. If the status of the answer is `waiting`, the actual answer is passed to `wake` later. The
  /// caller must call `expire` at the request's deadline.
  Answer handle(ClientId client, const Request& request);
  /// Answers a waiting request with `timed_out`, if it still waits.
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
    std::map<ClientId, std::uint64_t> references;  ///< number of references of each client
  };
  struct Client {
    std::set<ObjectId> referenced;  ///< the objects to which the client has references
    /// Slabs of deleted objects that the client has created. Only this client may have them mapped for writing, so only
    /// its later objects reuse them.
    std::list<Slab> free_slabs;
  };
  using Objects = std::map<ObjectId, Object>;

  Answer create(ClientId client, const Request& request);
  Answer open(ClientId client, const Request& request);
  Answer seal(ClientId client, const Request& request);
  Answer get(ClientId client, const Request& request);
  Answer release(ClientId client, const Request& request);
  Answer trim(ClientId client, std::uint64_t slab);

  static Answer answer_with(const Slab& slab);
  /// Sets `slab` to a slab of `bytes` for the client. Reuses a free slab if `recycle` is set. Returns false if a new
  /// slab would exceed the quota. @throws Error as `make_memory_file`
  bool take_slab(Client& client, std::size_t bytes, bool recycle, Slab& slab);
  /// Adds a reference of a client to an object.
  void refer(ClientId client, Objects::iterator object);
  void free_if_unused(Objects::iterator object);
  /// Deletes an object, and answers the requests that wait for it.
  void erase(Objects::iterator object, Status tell_waiters);
  void wake_waiters(const ObjectId& id, const Answer& answer);

  std::size_t quota_;
  Wake wake_;
  std::size_t used_ = 0;  ///< see `bytes`
  std::uint64_t next_slab_ = 1;
  ClientId next_client_ = 1;
  Objects objects_;
  std::map<ClientId, Client> clients_;
  std::set<Waiter> waiters_;
};

}  // namespace troupe::store
