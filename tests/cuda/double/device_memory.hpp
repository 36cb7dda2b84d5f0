#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace troupe::cuda_double {

struct Block {
  std::size_t bytes = 0;  ///< as asked for
  std::size_t total = 0;  ///< with canaries
  int device = 0;
  bool live = false;  ///< or in quarantine
};

/// The memory of all devices: one range of addresses that the host can touch only while a DeviceAccess lives.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Forgets all blocks; the range then has `bytes`.
  void reset(std::size_t bytes);

  /// @return 256-byte aligned, filled with NaN but for a cuBLAS workspace; null where there is no room in the range
  void* allocate(int device, std::size_t bytes);

  /// Checks the canaries. @return false for what is not the start of a live block
  bool release(void* pointer);

  /// The live block that starts at `pointer`, or that holds the whole range.
  const Block* starting_at(const void* pointer) const;
  const Block* holding(const void* pointer, std::size_t bytes) const;

  /// Any address of the range, of a block or not.
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
  std::byte* base_ = nullptr;  ///< in there, at the start of a huge page
  std::size_t size_ = 0;
  std::size_t used_ = 0;    ///< nothing beyond was ever in a block
  std::size_t opened_ = 0;  ///< how much of the range is open
  std::size_t next_ = 0;    ///< where to look for room first: freed addresses come back as late as may be
  int accesses_ = 0;
  Blocks blocks_;
  std::deque<std::size_t> quarantine_;
  std::size_t quarantined_ = 0;
};

DeviceMemory& device_memory();

/// Opens the memory of the devices to the host as long as it lives: for what a device does.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

/// Complains unless `bytes` from a device pointer on lie within one block of the device, and it is aligned.
bool is_device_range(const std::string& what, const void* start, std::size_t bytes, int device, std::size_t alignment);

/// Whether two ranges have bytes in common.
bool overlap(const void* first, std::size_t first_bytes, const void* second, std::size_t second_bytes);

/// Puts NaN there: what a workspace holds before and after it was used, so that nobody can rely on it.
void spoil(void* start, std::size_t bytes);

}  // namespace troupe::cuda_double
