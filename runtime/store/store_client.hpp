#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/memory.hpp"
#include "runtime/store/channel.hpp"
#include "runtime/store/object_id.hpp"

namespace troupe {

/// Options of `StoreClient::create`.
struct CreateOptions {
  bool shared_writers = false;  ///< other clients may `open` the object for writing until it is sealed
  bool may_exist = false;  ///< if another client has already made the object, `create` returns null instead of throwing
};

/// A client of an object store in this or another process. Every call returns or throws within a time limit: 10 s, or
/// for `get` 10 s more than its `timeout`. Thread-safe.
///
/// All member functions throw Error store_full, store_failed (the store refused the request, or the creator of the
/// object has died), limit_reached or timeout. The errors contain the name of the object.
class StoreClient {
 public:
  explicit StoreClient(std::unique_ptr<store::Channel> channel) : channel_(std::move(channel)) {}

  /// Makes an object of `bytes` bytes, maps it for writing, and returns the mapping. The content is undefined, because
  /// a reused slab contains its old bytes. The client has a reference to the object until it calls `release`. If the
  /// client ends before it calls `seal`, the object is deleted. If `options.may_exist` is true and another client has
  /// made the object already, returns null.
  std::shared_ptr<Mapping> create(const ObjectId& id, std::size_t bytes, CreateOptions options = {});
  /// Maps `bytes` bytes of an unsealed object for writing, starting at byte `offset`. The object must have been created
  /// with `shared_writers`. Adds one reference of this client to the object.
  std::shared_ptr<Mapping> open(const ObjectId& id, std::size_t offset, std::size_t bytes);
  /// Publishes an object that this client has created. From then on, other clients can map the object for reading, and
  /// no client can make new mappings for writing. Existing mappings for writing stay writable. A client that changes
  /// the content through such a mapping must tell the readers by messages.
  void seal(const ObjectId& id);
  /// Waits at most `timeout` until an object is sealed, and maps the object for reading. Adds one reference of this
  /// client to the object.
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  /// Drops one reference of this client to an object. When no client has a reference to the object, the object is
  /// deleted. The store keeps its slab for later objects of the same creator.
  void release(const ObjectId& id);
  /// Frees the slabs that the store keeps for later objects of this client.
  void trim();

 private:
  struct Called {
    store::Reply reply;
    FileDescriptor file;
  };
  /// Sends a request, and returns the reply with its descriptor. @throws Error if the reply's status is neither ok nor
  /// `accepted`
  Called call(store::Request request, std::chrono::milliseconds timeout, store::Status accepted = store::Status::ok);
  void drop_free_slabs();
  /// Locks the client's mutex, and returns the lock. @throws Error unsupported in a child made by fork, because the
  /// client belongs to the parent
  std::unique_lock<std::mutex> lock_here();

  OwningProcess owner_;
  std::mutex mutex_;
  std::unique_ptr<store::Channel> channel_;
  /// By slab number: the mappings for writing of this client's slabs, including slabs that are kept for reuse.
  std::map<std::uint64_t, std::shared_ptr<Mapping>> own_slabs_;
};

}  // namespace troupe
