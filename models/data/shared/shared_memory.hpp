#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace troupe {

/// Bytes that several processes of a machine use, although the memory of the machine contains them only once. `bytes`
/// is valid as long as the caller keeps `memory`.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
};

/// Memory that several processes of a machine share. It contains one copy of data that each process would otherwise
/// load for itself.
class SharedMemory {
 public:
  /// Describes the content to be stored: its size in bytes, and a function that writes it. If `bytes` is 0, there is
  /// nothing to store.
  struct Content {
    std::size_t bytes = 0;
    std::function<void(std::span<std::byte>)> write;  ///< writes all bytes of the content to the span, whose address is
                                                      ///< a multiple of 4,096
  };
  using Make = std::function<Content()>;

  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  virtual ~SharedMemory() = default;

  /// Returns the content that is stored under `key`. The first process that calls this function with the key calls
  /// `make` and stores the content; other processes wait until it is stored. Returns empty bytes if the content is
  /// empty, or if there is not enough memory for it. Thread-safe.
  /// @param make returns the content; called at most once, and not at all if another process stores the content
  /// @throws the exceptions of `make`
  virtual SharedBytes once(std::uint64_t key, const Make& make) = 0;
};

/// Returns the shared memory of this process; null if this process does not share data with other processes.
std::shared_ptr<SharedMemory> shared_memory();
/// Makes this process share all data that it loads from now on with other processes, through the memory `with`.
void share_memory(std::shared_ptr<SharedMemory> with);

}  // namespace troupe
