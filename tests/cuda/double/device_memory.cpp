#include "cuda/double/device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "cuda/double/state.hpp"

// With the address sanitizer, a kernel that leaves its block is stopped at once.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) (static_cast<void>(start), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) (static_cast<void>(start), static_cast<void>(bytes))
#endif

namespace troupe::cuda_double {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kCanary = 256;
constexpr std::size_t kFirstRange = std::size_t{4} << 30;
constexpr std::size_t kPage = std::size_t{2} << 20;  // opening 128 MiB of small pages takes 6 ms, of huge ones 10 us
constexpr std::size_t kQuarantine = std::size_t{128} << 20;
constexpr int kUnwritten = 0xFF;  // NaN as float, bfloat16 and double
constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Returns the canary byte of an address. Canaries read as a number are NaN too, so that reads outside a block show.
std::byte canary_at(const std::byte* address) {
  return std::byte{reinterpret_cast<std::uintptr_t>(address) % 2 == 0 ? std::uint8_t{0xC5} : std::uint8_t{0xFF}};
}

void write_canary(std::byte* from, const std::byte* to) {
  for (std::byte* at = from; at != to; ++at) *at = canary_at(at);
  ASAN_POISON_MEMORY_REGION(from, static_cast<std::size_t>(to - from));
}

__attribute__((no_sanitize("address"))) const std::byte* first_spoiled(const std::byte* from, const std::byte* to) {
  for (const std::byte* at = from; at != to; ++at)
    if (*at != canary_at(at)) return at;
  return nullptr;
}

/// Fills new memory with NaN. Skips a handle's workspace, which is spoiled at each use as far as it is used; filling
/// all of it would take most of a test's time.
void fill(void* start, std::size_t bytes) {
  if (bytes != kProductWorkspace) std::memset(start, kUnwritten, bytes);
}

}  // namespace

DeviceMemory& device_memory() {
  static auto* const kAll = new DeviceMemory;
  return *kAll;
}

DeviceMemory::DeviceMemory() { reset(kFirstRange); }

DeviceMemory::~DeviceMemory() { munmap(mapped_, mapped_bytes()); }

std::size_t DeviceMemory::mapped_bytes() const { return rounded_up(size_, kPage) + kPage; }

void DeviceMemory::reset(std::size_t bytes) {
  if (base_ != nullptr) {
    ASAN_UNPOISON_MEMORY_REGION(base_, used_);
    munmap(mapped_, mapped_bytes());
  }
  size_ = bytes;
  mapped_ = mmap(nullptr, mapped_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::runtime_error("no addresses for the double's device memory");
  const auto address = reinterpret_cast<std::uintptr_t>(mapped_);
  base_ = static_cast<std::byte*>(mapped_) + (rounded_up(address, kPage) - address);
  madvise(base_, rounded_up(size_, kPage), MADV_HUGEPAGE);
  used_ = next_ = quarantined_ = 0;
  blocks_.clear();
  quarantine_.clear();
}

void* DeviceMemory::allocate(int device, std::size_t bytes) {
  const std::size_t total = kCanary + rounded_up(bytes, kAlignment) + kCanary;
  std::size_t offset = 0;
  if (!find_room(total, offset)) return nullptr;
  next_ = offset + total;
  used_ = std::max(used_, next_);
  blocks_[offset] = {bytes, total, device, true};
  std::byte* const start = base_ + offset;
  const DeviceAccess access;
  ASAN_UNPOISON_MEMORY_REGION(start, total);
  fill(start + kCanary, bytes);
  write_canary(start, start + kCanary);
  write_canary(start + kCanary + bytes, start + total);
  return start + kCanary;
}

bool DeviceMemory::release(void* pointer) {
  if (starting_at(pointer) == nullptr) return false;
  const std::size_t offset = static_cast<std::size_t>(static_cast<std::byte*>(pointer) - base_) - kCanary;
  Block& block = blocks_.at(offset);
  check_canaries(offset, block, "when the block is freed");
  const DeviceAccess access;
  fill(pointer, block.bytes);
  ASAN_POISON_MEMORY_REGION(pointer, block.bytes);
  block.live = false;
  quarantine_.push_back(offset);
  quarantined_ += block.total;
  shrink_quarantine(kQuarantine);
  return true;
}

void DeviceMemory::shrink_quarantine(std::size_t bytes) {
  while (quarantined_ > bytes) {
    const std::size_t offset = quarantine_.front();
    const std::size_t end = offset + blocks_.at(offset).total;
    const std::size_t first = rounded_up(offset, kPage);
    if (first < end / kPage * kPage) madvise(base_ + first, end / kPage * kPage - first, MADV_DONTNEED);
    quarantined_ -= end - offset;
    quarantine_.pop_front();
    blocks_.erase(offset);
  }
}

bool DeviceMemory::find_gap(std::size_t from, std::size_t total, std::size_t& offset) const {
  offset = from;
  for (auto block = blocks_.lower_bound(from); block != blocks_.end(); ++block) {
    if (block->first - offset >= total) return true;
    offset = block->first + block->second.total;
  }
  return size_ - offset >= total;
}

bool DeviceMemory::find_room(std::size_t total, std::size_t& offset) {
  if (total > size_) return false;
  if (find_gap(next_, total, offset) || find_gap(0, total, offset)) return true;
  shrink_quarantine(0);
  return find_gap(0, total, offset);
}

DeviceMemory::Blocks::const_iterator DeviceMemory::before(const void* pointer) const {
  if (!contains(pointer)) return blocks_.end();
  const auto after = blocks_.upper_bound(static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - base_));
  return after == blocks_.begin() ? blocks_.end() : std::prev(after);
}

const Block* DeviceMemory::starting_at(const void* pointer) const {
  const auto found = before(pointer);
  if (found == blocks_.end() || !found->second.live) return nullptr;
  return base_ + found->first + kCanary == pointer ? &found->second : nullptr;
}

const Block* DeviceMemory::holding(const void* pointer, std::size_t bytes) const {
  const auto found = before(pointer);
  if (found == blocks_.end() || !found->second.live) return nullptr;
  const std::byte* const start = base_ + found->first + kCanary;
  const auto* const first = static_cast<const std::byte*>(pointer);
  if (first < start) return nullptr;
  const auto skipped = static_cast<std::size_t>(first - start);
  return skipped <= found->second.bytes && bytes <= found->second.bytes - skipped ? &found->second : nullptr;
}

bool DeviceMemory::contains(const void* pointer) const {
  const auto* const byte = static_cast<const std::byte*>(pointer);
  return byte >= base_ && byte < base_ + size_;
}

std::int64_t DeviceMemory::blocks() const {
  return static_cast<std::int64_t>(blocks_.size()) - static_cast<std::int64_t>(quarantine_.size());
}

std::size_t DeviceMemory::bytes(int device) const {
  std::size_t sum = 0;
  for (const auto& [offset, block] : blocks_)
    if (block.live && block.device == device) sum += rounded_up(block.bytes, kAlignment);
  return sum;
}

void DeviceMemory::check_canaries(const std::string& when) const {
  const DeviceAccess access;
  for (const auto& [offset, block] : blocks_)
    if (block.live) check_canaries(offset, block, when);
}

void DeviceMemory::check_canaries(std::size_t offset, const Block& block, const std::string& when) const {
  const DeviceAccess access;
  const std::byte* const start = base_ + offset + kCanary;
  const std::string named = " a block of " + std::to_string(block.bytes) + " bytes, found " + when;
  if (const std::byte* const spoiled = first_spoiled(start - kCanary, start))
    complain("a write " + std::to_string(start - spoiled) + " bytes before" + named);
  const std::byte* const end = start + block.bytes;
  if (const std::byte* const spoiled = first_spoiled(end, base_ + offset + block.total))
    complain("a write " + std::to_string(spoiled - end) + " bytes behind" + named);
}

void DeviceMemory::protect(bool open) {
  if (open) opened_ = rounded_up(used_, kPage);
  if (opened_ != 0) mprotect(base_, opened_, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

DeviceAccess::DeviceAccess() {
  if (device_memory().accesses_++ == 0) device_memory().protect(true);
}

DeviceAccess::~DeviceAccess() {
  if (--device_memory().accesses_ == 0) device_memory().protect(false);
}

bool is_device_range(const std::string& what, const void* start, std::size_t bytes, int device, std::size_t alignment) {
  if (!device_memory().contains(start)) return complain(false, what + " is not memory of a device");
  const Block* const block = device_memory().holding(start, bytes);
  if (block == nullptr)
    return complain(false, what + " of " + std::to_string(bytes) + " bytes leaves its block, or the block was freed");
  if (block->device != device) return complain(false, what + " belongs to device " + std::to_string(block->device));
  if (reinterpret_cast<std::uintptr_t>(start) % alignment != 0) return complain(false, what + " is not aligned");
  return true;
}

bool overlap(const void* first, std::size_t first_bytes, const void* second, std::size_t second_bytes) {
  const auto* const one = static_cast<const std::byte*>(first);
  const auto* const other = static_cast<const std::byte*>(second);
  return one < other + second_bytes && other < one + first_bytes;
}

void spoil(void* start, std::size_t bytes) {
  if (bytes != 0) std::memset(start, 0xFF, bytes);
}

}  // namespace troupe::cuda_double
