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
  bool shared_writers = false;  ///< others may `open` it for writing until it is sealed
  bool may_exist = false;       ///< what another client has made is no error
};

/// A client's view of the node's object store. Each call ends within its deadline. For use by several threads.
///
/// Errors: store_full, store_failed (refused, or the creator died), timeout; all name the object.
class StoreClient {
 public:
  explicit StoreClient(std::unique_ptr<store::Channel> channel) : channel_(std::move(channel)) {}

  /// Makes an object and maps it for writing; its bytes are those of whatever the slab held before. The object is
  /// referred to by this client until `release`, and goes if the client ends before `seal`. Null where it may exist,
  /// and does.
  std::shared_ptr<Mapping> create(const ObjectId& id, std::size_t bytes, CreateOptions options = {});
  /// Maps a part of an unsealed object that was created with `shared_writers`.
  std::shared_ptr<Mapping> open(const ObjectId& id, std::size_t offset, std::size_t bytes);
  /// Publishes: from now on others can map the object, for reading, and nobody anew for writing. Whoever has it mapped
  /// for writing may go on, and says by message what the slab then holds.
  void seal(const ObjectId& id);
  /// Maps an object for reading, waiting until it is sealed.
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  /// Gives one reference up. The slab of an object that nobody refers to is used again by its creator.
  void release(const ObjectId& id);
  /// Drops the slabs that wait for this client to use them again.
  void trim();

 private:
  struct Called {
    store::Reply reply;
    FileDescriptor file;
  };
  /// @throws Error unless the answer is ok or what is accepted besides.
  Called call(store::Request request, std::chrono::milliseconds timeout, store::Status accepted = store::Status::ok);
  void drop_free_slabs();
  /// @throws Error unsupported in a child of the process that has the client
  std::unique_lock<std::mutex> lock_here();

  OwningProcess owner_;
  std::mutex mutex_;
  std::unique_ptr<store::Channel> channel_;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> own_slabs_;  ///< by slab number; only these are mapped for writing
};

}  // namespace troupe
