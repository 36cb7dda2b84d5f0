#pragma once

#include <cstddef>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// The object store of a process: creates slabs of shared memory, up to a quota, and serves clients in this and other
/// processes. One thread manages the table of objects.
///
/// Clients share only the memory of objects with the store, so a client that crashes or sends nonsense cannot corrupt
/// the table. The store drops a client that sends a malformed request. When the socket of a client in another process
/// closes, the store releases the client's slabs. The store has no address: a worker process inherits one end of a
/// socket pair.
class ObjectStore {
 public:
  /// @param quota_bytes maximum bytes of all slabs together; 0: half of the machine's memory, or half of the memory
  /// limit of a cgroup around this process if that is less
  explicit ObjectStore(std::size_t quota_bytes = 0);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// Makes a client in this process, which uses no socket. The client may outlive the store; its calls then fail.
  std::unique_ptr<StoreClient> connect();
  /// Returns a socket for a client in another process. Pass the socket to that process, and then close it in this
  /// process.
  FileDescriptor connect_process();

 private:
  class Impl;
  class LoopChannel;
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe
