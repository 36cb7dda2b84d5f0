#pragma once

#include <cstddef>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// The object store of a node: slabs of shared memory under a quota, and one thread that manages the table of objects.
///
/// Clients share only payload bytes, so a crashed or malicious client cannot corrupt the store. A malformed request
/// drops the client, and the end of its socket releases its slabs. The store has no address to connect to; a worker
/// process inherits its socket.
class ObjectStore {
 public:
  /// @param quota_bytes limit for all slabs together; 0: half of the memory of the machine, or of a cgroup around this
  /// process.
  explicit ObjectStore(std::size_t quota_bytes = 0);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// Makes a client in this process, without a socket. The client may outlive the store; its calls then fail.
  std::unique_ptr<StoreClient> connect();
  /// Returns the socket for a client in another process. Pass the socket to that process, then close it here.
  FileDescriptor connect_process();

 private:
  class Impl;
  class LoopChannel;
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe
