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

struct CreateOptions {
  bool shared_writers = false;  ///< other clients may `open` the object for writing until it is sealed
  bool may_exist = false;       ///< an object that another client has made is not an error
};

/// A client of the node's object store. Each call ends within its deadline. Thread-safe.
///
/// Errors: store_full, store_failed (refused, or the creator died), timeout; all name the object.
class StoreClient {
 public:
  explicit StoreClient(std::unique_ptr<store::Channel> channel) : channel_(std::move(channel)) {}

  /// Makes an object and maps it for writing. Its initial content is undefined: a reused slab keeps its old bytes. The
  /// client holds a reference until `release`. If the client ends before `seal`, the object is deleted. Returns null if
  /// `may_exist` is set and the object exists.
  std::shared_ptr<Mapping> create(const ObjectId& id, std::size_t bytes, CreateOptions options = {});
  /// Maps a part of an unsealed object that was created with `shared_writers`.
  std::shared_ptr<Mapping> open(const ObjectId& id, std::size_t offset, std::size_t bytes);
  /// Publishes an object. From now on other clients can map it for reading, and no client can make new mappings for
  /// writing. Existing mappings for writing stay usable; their owners announce new content by messages.
  void seal(const ObjectId& id);
  /// Waits until an object is sealed, and maps it for reading.
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  /// Drops one reference. The slab of an object without references is reused by its creator.
  void release(const ObjectId& id);
  /// Frees the slabs that wait for reuse by this client.
  void trim();

 private:
  struct Called {
    store::Reply reply;
    FileDescriptor file;
  };
  /// @throws Error unless the status is ok or `accepted`.
  Called call(store::Request request, std::chrono::milliseconds timeout, store::Status accepted = store::Status::ok);
  void drop_free_slabs();
  /// Locks the client. @throws Error unsupported in a child of the process that owns the client
  std::unique_lock<std::mutex> lock_here();

  OwningProcess owner_;
  std::mutex mutex_;
  std::unique_ptr<store::Channel> channel_;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> own_slabs_;  ///< by slab number; only these slabs are mapped for
                                                                 ///< writing
};

}  // namespace troupe
