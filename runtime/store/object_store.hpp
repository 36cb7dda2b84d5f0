#pragma once

#include <cstddef>
#include <memory>

#include "runtime/file_descriptor.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// The object store of a node: slabs of shared memory under a quota, and one thread that keeps the books.
///
/// Nothing but payload bytes is shared with clients, so no client's death or malice can corrupt the store: a malformed
/// request drops the client, and the end of its socket drops what it held. There is no address to connect to; a worker
/// process inherits its socket.
class ObjectStore {
 public:
  /// @param quota_bytes that all slabs together may take; 0: half of the memory that the machine, or a cgroup
  /// around this process, has.
  explicit ObjectStore(std::size_t quota_bytes = 0);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// A client in this process, without a socket. It may outlive the store: its calls then fail.
  std::unique_ptr<StoreClient> connect();
  /// The socket of a client in another process, to be handed to it and closed here.
  FileDescriptor connect_process();

 private:
  class Impl;
  class LoopChannel;
  std::shared_ptr<Impl> impl_;
};

}  // namespace troupe
