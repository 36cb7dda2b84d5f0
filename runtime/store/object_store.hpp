#pragma once

#include <cstddef>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// The object store of a process. It creates slabs of shared memory, up to a quota, for clients in this and in other
/// processes. One thread manages the table of objects.
///
/// A client shares only the memory of objects with the store, so a client that crashes or sends invalid requests cannot
/// corrupt the table. The store drops a client that sends a malformed request. When the socket of a client in another
/// process closes, the store drops the client and frees its slabs. The store has no address to which another program
/// could connect: a worker process inherits one end of a socket pair.
class ObjectStore {
 public:
  /// @param quota_bytes maximum bytes of all slabs together. If 0 (default), the quota is half of the machine's memory,
  /// or half of a smaller memory limit of a cgroup around this process.
  explicit ObjectStore(std::size_t quota_bytes = 0);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// Makes a client in this process, which uses no socket. The client may outlive the store; after the store's end, the
  /// client's calls fail.
  std::unique_ptr<StoreClient> connect();
  /// Returns the socket of a new client in another process. The caller must pass the socket to that process, and then
  /// close it in this process.
  FileDescriptor connect_process();

 private:
  class Impl;
  class LoopChannel;
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe
