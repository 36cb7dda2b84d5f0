#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace troupe {

/// Bytes that exist once on a machine, although several processes use them. They are valid while `memory` exists.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
};

/// Memory that several processes of a machine share. Data that each process would otherwise load for itself is stored
/// there once.
class SharedMemory {
 public:
  /// The content to be stored; empty if `bytes` is 0.
  struct Content {
    std::size_t bytes = 0;
    std::function<void(std::span<std::byte>)> write;  ///< writes all bytes; the span begins at a multiple of 4096
  };
  using Make = std::function<Content()>;

  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  virtual ~SharedMemory() = default;

  /// Returns the content that is stored under a key. The first process that calls this function with the key makes the
  /// content; other processes wait for it. Returns nothing if the content is empty, or if there is not enough memory.
  /// Thread-safe.
  /// @param make makes the content; called at most once, and not at all if another process makes the content
  /// @throws the exceptions of `make`
  virtual SharedBytes once(std::uint64_t key, const Make& make) = 0;
};

/// Returns the shared memory of this process; null if this process does not share data with other processes.
std::shared_ptr<SharedMemory> shared_memory();
/// Makes this process share all data that it loads from now on.
void share_memory(std::shared_ptr<SharedMemory> with);

}  // namespace troupe
