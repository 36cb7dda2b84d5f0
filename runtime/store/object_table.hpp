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

/// The answer of the object table to a request. `fd` is the descriptor of the object's slab, or -1 if the answer has no
/// descriptor. The table owns the descriptor, which is valid until the next call of the table.
struct Answer {
  Reply reply;
  int fd = -1;
};

/// A client's `get` request for an object that is not sealed yet. The request is answered when the object is sealed.
struct Waiter {
  ClientId client = 0;
  std::uint64_t sequence = 0;  ///< the request's number
  ObjectId id;
  auto operator<=>(const Waiter&) const = default;
};

/// The table of an object store. It contains the objects, their slabs, the clients, and the clients' references to
/// objects. Not thread-safe. The table makes memory files, but does no other input or output.
class ObjectTable {
 public:
  /// A function that receives a waiting request and the answer to it.
  using Wake = std::function<void(const Waiter&, const Answer&)>;

  ObjectTable(std::size_t quota_bytes, Wake wake) : quota_(quota_bytes), wake_(std::move(wake)) {}

  /// Adds a client, and returns its number.
  ClientId add_client();
  /// Removes a client. Deletes the unsealed objects that the client has created, and answers other clients' requests
  /// that wait for these objects with `creator_died`. Drops the client's references to other objects.
  void drop_client(ClientId client);
  /// Handles a request, and returns the answer. If the status of the answer is `waiting`, the table passes the actual
  /// answer to `wake` later. In that case, the caller must call `expire` at the request's deadline.
  Answer handle(ClientId client, const Request& request);
  /// Answers a waiting request with `timed_out`, if the request has not been answered yet.
  void expire(const Waiter& waiter);

  /// Returns the number of bytes of all slabs together, including free slabs that are kept for reuse.
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
    /// Slabs of deleted objects that this client has created. Only this client may still have the slabs mapped for
    /// writing, so the slabs are reused only for this client's later objects.
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
  /// Sets `slab` to a slab of `bytes` bytes for the client. If `recycle` is true, reuses a free slab of this size, if
  /// there is one. Otherwise makes a new slab. Returns false if a new slab would exceed the quota.
  /// @throws Error as `make_memory_file`
  bool take_slab(Client& client, std::size_t bytes, bool recycle, Slab& slab);
  /// Adds one reference of a client to an object.
  void refer(ClientId client, Objects::iterator object);
  void free_if_unused(Objects::iterator object);
  /// Deletes an object, and answers the requests that wait for the object with `tell_waiters`.
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
