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
  bool may_exist = false;       ///< it is no error if another client has already made the object
};

/// A client of an object store in this or another process. All calls end within a deadline. Thread-safe.
///
/// Calls throw Error store_full, store_failed (the store refused the request, or the creator of the object has died),
/// limit_reached or timeout. The errors name the object.
class StoreClient {
 public:
  explicit StoreClient(std::unique_ptr<store::Channel> channel) : channel_(std::move(channel)) {}

  /// Makes an object of `bytes` and maps it for writing. The content is undefined, because a reused slab has its old
  /// bytes. The client has a reference to the object until it calls `release`. If the client ends before it calls
  /// `seal`, the object is deleted. Returns null if `options.may_exist` is set and another client has made the object.
  std::shared_ptr<Mapping> create(const ObjectId& id, std::size_t bytes, CreateOptions options = {});
  /// Maps a part of an unsealed object for writing. The object must have been created with `shared_writers`. Adds a
  /// reference to the object.
  std::shared_ptr<Mapping> open(const ObjectId& id, std::size_t offset, std::size_t bytes);
  /// Publishes an object that this client has created. Other clients can now map it for reading, and no client can make
  /// new mappings for writing. Existing mappings for writing stay usable. If their owners change the content, they must
  /// tell the readers by messages.
  void seal(const ObjectId& id);
  /// Waits at most `timeout` until an object is sealed, and maps it for reading. Adds a reference to the object.
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  /// Drops one reference of this client to an object. When an object has no more references, it is deleted, and its
  /// creator can reuse the slab.
  void release(const ObjectId& id);
  /// Frees the slabs that are kept for reuse by this client.
  void trim();

 private:
  struct Called {
    store::Reply reply;
    FileDescriptor file;
  };
  /// Sends a request, and returns the reply. @throws Error if its status is neither ok nor `accepted`
  Called call(store::Request request, std::chrono::milliseconds timeout, store::Status accepted = store::Status::ok);
  void drop_free_slabs();
  /// Locks the client's mutex. @throws Error unsupported in a child made by fork of the process that owns the client
  std::unique_lock<std::mutex> lock_here();

  OwningProcess owner_;
  std::mutex mutex_;
  std::unique_ptr<store::Channel> channel_;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> own_slabs_;  ///< mappings for writing of this client's slabs, by
                                                                 ///< slab number, including those kept for reuse
};

}  // namespace troupe
