#include "cuda/double/pinned.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/state.hpp"
#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

namespace {

constexpr std::size_t kPageBytes = 4096;

enum class Mapping : std::uint8_t { missing, read_only, writable };

/// Returns how all of these bytes are mapped into this process.
Mapping mapping_of(const void* start, std::size_t bytes) {
  auto at = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t last = at + bytes;
  Mapping result = Mapping::writable;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; at < last && std::getline(maps, line);) {
    char* rest = nullptr;
    const std::uintptr_t from = std::strtoull(line.c_str(), &rest, 16);
    const std::uintptr_t to = std::strtoull(rest + 1, &rest, 16);
    if (to <= at) continue;
    if (from > at || rest[1] != 'r') break;
    if (rest[2] != 'w') result = Mapping::read_only;
    at = to;
  }
  return at < last ? Mapping::missing : result;
}

cudaError_t allocate_pinned(void** pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0)
    return complain(cudaErrorInvalidValue, "an allocation without a pointer or of 0 bytes");
  *pointer = pinned().allocate(bytes, this_thread().device);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t register_range(void* start, std::size_t bytes, unsigned flags) {
  if (start == nullptr || bytes == 0) return complain(cudaErrorInvalidValue, "nothing to register");
  if (device_memory().contains(start)) return complain(cudaErrorInvalidValue, "memory of a device");
  if (pinned().touching(start, bytes) != nullptr) return cudaErrorHostMemoryAlreadyRegistered;
  const Mapping mapping = mapping_of(start, bytes);
  if (mapping == Mapping::missing) return complain(cudaErrorInvalidValue, "memory that is not mapped");
  const bool read_only = (flags & cudaHostRegisterReadOnly) != 0;
  if (read_only && !state().settings.locks_read_only) return cudaErrorNotSupported;
  if (mapping == Mapping::read_only && !read_only)
    return complain(cudaErrorInvalidValue, "read-only memory without cudaHostRegisterReadOnly");
  pinned().add(start, {.bytes = bytes, .device = this_thread().device, .read_only = read_only});
  return cudaSuccess;
}

/// Releases a range. Complains if a queued copy still uses it: the real driver gives no guarantee for such copies.
cudaError_t release_range(void* start, bool owned, cudaError_t unknown) {
  if (owned && start == nullptr) return cudaSuccess;
  const PinnedRange* const range = pinned().starting_at(start);
  if (range == nullptr || range->owned != owned)
    return complain(unknown, "page-locked memory that is unknown or was released");
  if (const Task* const task = streams().task_touching(start, range->bytes))
    complain("page-locked memory is released while queued work touches it: " + task->what);
  const cudaError_t error = streams().run_all();
  races().forget(start, range->bytes);
  pinned().remove(start);
  return error;
}

}  // namespace

Pinned& pinned() {
  static auto* const kAll = new Pinned;
  return *kAll;
}

void* Pinned::allocate(std::size_t bytes, int device) {
  void* const start = std::aligned_alloc(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
  if (start == nullptr) return nullptr;
  std::memset(start, 0xFF, bytes);
  add(start, {.bytes = bytes, .device = device, .owned = true});
  return start;
}

const PinnedRange* Pinned::starting_at(const void* start) const {
  const auto found = ranges_.find(static_cast<const std::byte*>(start));
  return found == ranges_.end() ? nullptr : &found->second;
}

Pinned::Ranges::const_iterator Pinned::touching_range(const void* start, std::size_t bytes) const {
  const auto* const first = static_cast<const std::byte*>(start);
  const auto behind = ranges_.lower_bound(first + bytes);
  if (behind == ranges_.begin()) return ranges_.end();
  const auto last = std::prev(behind);
  return last->first + last->second.bytes > first ? last : ranges_.end();
}

const PinnedRange* Pinned::touching(const void* start, std::size_t bytes) const {
  const auto found = touching_range(start, bytes);
  return found == ranges_.end() ? nullptr : &found->second;
}

bool Pinned::holds(const void* start, std::size_t bytes) const {
  const auto found = touching_range(start, bytes);
  const auto* const first = static_cast<const std::byte*>(start);
  return found != ranges_.end() && found->first <= first && first + bytes <= found->first + found->second.bytes;
}

void Pinned::remove(void* start) {
  if (starting_at(start)->owned) std::free(start);
  ranges_.erase(static_cast<const std::byte*>(start));
}

void Pinned::clear() {
  for (const auto& [start, range] : ranges_)
    if (range.owned) std::free(const_cast<std::byte*>(start));
  ranges_.clear();
}

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  return cuda_call("cudaHostAlloc", Kind::allocation, [&] { return allocate_pinned(pointer, bytes); });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cuda_call("cudaMallocHost", Kind::allocation, [&] { return allocate_pinned(pointer, bytes); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return cuda_call("cudaFreeHost", Kind::release, [&] { return release_range(pointer, true, cudaErrorInvalidValue); });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return cuda_call("cudaHostRegister", Kind::allocation, [&] { return register_range(pointer, bytes, flags); });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return cuda_call("cudaHostUnregister", Kind::release,
                   [&] { return release_range(pointer, false, cudaErrorHostMemoryNotRegistered); });
}
}
