#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace troupe {

/// Bytes that lie in a machine once; valid while `memory` is held.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
};

/// Memory that processes of a machine share, for what each of them would else make for itself.
class SharedMemory {
 public:
  /// What is to lie there: nothing where it has no bytes.
  struct Content {
    std::size_t bytes = 0;
    std::function<void(std::span<std::byte>)> write;  ///< all of them, which begin at a multiple of 4096
  };
  using Make = std::function<Content()>;

  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  virtual ~SharedMemory() = default;

  /// What the first process that asks for this key makes, and others wait for; nothing where that is nothing, or where
  /// there is no room for it. By several threads at once. @throws what `make` does, which is called once at most
  virtual SharedBytes once(std::uint64_t key, const Make& make) = 0;
};

/// This process's; null where it shares with nobody.
std::shared_ptr<SharedMemory> shared_memory();
/// From now on this process shares data that it loads.
void share_memory(std::shared_ptr<SharedMemory> with);

}  // namespace troupe
