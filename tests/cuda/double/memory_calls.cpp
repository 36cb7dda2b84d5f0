#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/pinned.hpp"
#include "cuda/double/state.hpp"
#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

namespace {

cudaError_t allocate_block(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return complain(cudaErrorInvalidValue, "a null pointer for the pointer");
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const int device = this_thread().device;
  const std::size_t used = device_memory().bytes(device);
  const std::size_t most = state().settings.bytes_per_device;
  if (used > most || bytes > most - used) return cudaErrorMemoryAllocation;
  *pointer = device_memory().allocate(device, bytes);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t free_block(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const Block* const block = device_memory().starting_at(pointer);
  if (block == nullptr) return complain(cudaErrorInvalidValue, "a block that is unknown or was freed");
  const cudaError_t error = streams().run_all(block->device);
  races().forget(pointer, block->bytes);
  device_memory().release(pointer);
  return error;
}

cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes result = {};
  if (const Block* const block = device_memory().holding(pointer, 1)) {
    result.type = cudaMemoryTypeDevice;
    result.device = block->device;
    result.devicePointer = const_cast<void*>(pointer);
  } else if (const PinnedRange* const range = pinned().touching(pointer, 1)) {
    result.type = cudaMemoryTypeHost;
    result.device = range->device;
    result.devicePointer = result.hostPointer = const_cast<void*>(pointer);
  } else {
    result.type = cudaMemoryTypeUnregistered;
    result.device = cudaInvalidDeviceId;
    result.hostPointer = const_cast<void*>(pointer);
  }
  return result;
}

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  bool to_device = false;
  bool from_device = false;
};

/// Complains unless these bytes lie within one block, within page-locked memory or completely outside of it.
bool lies_well(const void* start, std::size_t bytes, bool on_device, const char* what) {
  const bool is_on_device = device_memory().contains(start);
  if (is_on_device != on_device)
    return complain(false, std::string(what) + " is memory of the " + (is_on_device ? "device" : "host") +
                               ", unlike the kind of the copy");
  if (on_device && device_memory().holding(start, bytes) == nullptr)
    return complain(false, std::string(what) + " leaves its block, or the block was freed");
  if (!on_device && pinned().touching(start, bytes) != nullptr && !pinned().holds(start, bytes))
    return complain(false, std::string(what) + " leaves its page-locked range");
  return true;
}

cudaError_t check(Copy& copy, cudaMemcpyKind kind) {
  if (copy.to == nullptr || copy.from == nullptr) return complain(cudaErrorInvalidValue, "a null pointer");
  if (kind == cudaMemcpyDefault) {
    copy.to_device = device_memory().contains(copy.to);
    copy.from_device = device_memory().contains(copy.from);
  } else {
    copy.to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    copy.from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  }
  const bool fine = lies_well(copy.to, copy.bytes, copy.to_device, "the destination") &&
                    lies_well(copy.from, copy.bytes, copy.from_device, "the source");
  if (!fine) return cudaErrorInvalidValue;
  const PinnedRange* const range = copy.to_device ? nullptr : pinned().touching(copy.to, copy.bytes);
  if (range != nullptr && range->read_only)
    return complain(cudaErrorInvalidValue, "the destination is registered as read-only");
  return cudaSuccess;
}

void do_copy(const Copy& copy) {
  std::memmove(copy.to, copy.from, copy.bytes);
  if (copy.to_device && !copy.from_device) state().bytes_to_device += static_cast<std::int64_t>(copy.bytes);
  if (!copy.to_device && copy.from_device) state().bytes_to_host += static_cast<std::int64_t>(copy.bytes);
}

cudaError_t queue_copy(Stream& stream, Copy copy) {
  const bool between = copy.to_device && copy.from_device;
  const void* const host = copy.to_device ? copy.from : copy.to;
  const bool pageable = !between && pinned().touching(host, copy.bytes) == nullptr;
  Task task{.what = "a copy of " + std::to_string(copy.bytes) + " bytes"};
  if (pageable) ++state().pageable_copies;
  if (pageable && copy.to_device) {
    // The driver copies the source before it returns, so the caller may change it at once.
    const auto* const bytes = static_cast<const std::byte*>(copy.from);
    const auto staged = std::make_shared<const std::vector<std::byte>>(bytes, bytes + copy.bytes);
    copy.from = staged->data();
    task.run = [copy, staged] { do_copy(copy); };
  } else {
    task.run = [copy] { do_copy(copy); };
  }
  if (!pageable || copy.to_device) task.touches.push_back({copy.to, copy.bytes, true});
  if (!pageable || copy.from_device) task.touches.push_back({copy.from, copy.bytes, false});
  streams().push(stream, std::move(task));
  const bool synchronous = !copy.to_device && (pageable || !copy.from_device);
  if (!synchronous) return cudaSuccess;
  const cudaError_t error = streams().run_until(stream, stream.queued);
  races().host_saw(stream.clock);
  return error;
}

cudaError_t copy_later(Copy copy, cudaMemcpyKind kind, cudaStream_t handle) {
  Stream* const stream = stream_for_work(handle);
  if (stream == nullptr) return cudaErrorInvalidValue;
  if (copy.bytes == 0) return cudaSuccess;
  const cudaError_t error = check(copy, kind);
  return error == cudaSuccess ? queue_copy(*stream, copy) : error;
}

cudaError_t copy_now(Copy copy, cudaMemcpyKind kind) {
  if (copy.bytes == 0) return cudaSuccess;
  if (const cudaError_t error = check(copy, kind); error != cudaSuccess) return error;
  if (state().settings.memcpy_runs_all) {
    const cudaError_t error = streams().run_all(this_thread().device);
    if (error != cudaSuccess) return error;
  }
  const DeviceAccess access;
  do_copy(copy);
  return cudaSuccess;
}

cudaError_t set_later(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_kernel(handle, stream); error != cudaSuccess) return error;
  if (bytes == 0) return cudaSuccess;
  if (!lies_well(to, bytes, true, "the memory to be set")) return cudaErrorInvalidValue;
  streams().push(*stream, {.what = "a memset of " + std::to_string(bytes) + " bytes",
                           .run = [to, value, bytes] { std::memset(to, value, bytes); },
                           .touches = {{to, bytes, true}}});
  return cudaSuccess;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return cuda_call("cudaMalloc", Kind::allocation, [&] { return allocate_block(pointer, bytes); });
}

cudaError_t cudaFree(void* pointer) {
  return cuda_call("cudaFree", Kind::release, [&] { return free_block(pointer); });
}

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  return cuda_call("cudaMemGetInfo", [&] {
    *total = state().settings.bytes_per_device;
    const std::size_t used = device_memory().bytes(this_thread().device);
    *available = used < *total ? *total - used : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return cuda_call("cudaPointerGetAttributes", [&] {
    *attributes = attributes_of(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return cuda_call("cudaMemcpyAsync", [&] { return copy_later({to, from, bytes}, kind, stream); });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cuda_call("cudaMemcpy", [&] { return copy_now({to, from, bytes}, kind); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return cuda_call("cudaMemsetAsync", [&] { return set_later(to, value, bytes, stream); });
}
}
