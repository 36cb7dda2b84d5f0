#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace troupe::cuda_double {

struct Block {
  std::size_t bytes = 0;  ///< as requested
  std::size_t total = 0;  ///< with canaries
  int device = 0;
  bool live = false;  ///< otherwise in quarantine
};

/// The memory of all devices: one address range that the host can access only during the lifetime of a DeviceAccess.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Forgets all blocks and changes the size of the range to `bytes`.
  void reset(std::size_t bytes);

  /// @return 256-byte aligned memory filled with NaN, except a cuBLAS workspace; null if the range has no room
  void* allocate(int device, std::size_t bytes);

  /// Checks the canaries and frees the block. @return false if no live block starts at `pointer`
  bool release(void* pointer);

  /// Return the live block that starts at `pointer`, or that contains the whole range.
  const Block* starting_at(const void* pointer) const;
  const Block* holding(const void* pointer, std::size_t bytes) const;

  /// Returns whether the address is in the range, inside or outside a block.
  bool contains(const void* pointer) const;

  std::int64_t blocks() const;
  std::size_t bytes(int device) const;  ///< in live blocks
  void check_canaries(const std::string& when) const;

 private:
  friend class DeviceAccess;
  using Blocks = std::map<std::size_t, Block>;  ///< by offset of the first canary

  bool find_gap(std::size_t from, std::size_t total, std::size_t& offset) const;
  bool find_room(std::size_t total, std::size_t& offset);
  void shrink_quarantine(std::size_t bytes);
  void check_canaries(std::size_t offset, const Block& block, const std::string& when) const;
  Blocks::const_iterator before(const void* pointer) const;
  void protect(bool open);
  std::size_t mapped_bytes() const;

  void* mapped_ = nullptr;
  std::byte* base_ = nullptr;  ///< aligned to a huge page, inside the mapping
  std::size_t size_ = 0;
  std::size_t used_ = 0;    ///< no block was ever beyond this offset
  std::size_t opened_ = 0;  ///< size of the open part of the range
  std::size_t next_ = 0;    ///< where to look for room first, so that freed addresses are reused as late as possible
  int accesses_ = 0;
  Blocks blocks_;
  std::deque<std::size_t> quarantine_;
  std::size_t quarantined_ = 0;
};

DeviceMemory& device_memory();

/// Opens the memory of the devices to the host during its lifetime. Used for all work of a device.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

/// Complains unless the range is aligned and lies within one live block of the device.
bool is_device_range(const std::string& what, const void* start, std::size_t bytes, int device, std::size_t alignment);

/// Returns whether two ranges overlap.
bool overlap(const void* first, std::size_t first_bytes, const void* second, std::size_t second_bytes);

/// Fills a workspace with NaN, before and after its use, so that no code can depend on its content.
void spoil(void* start, std::size_t bytes);

}  // namespace troupe::cuda_double
