#include <sys/mman.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/trial.hpp"

using namespace troupe::cuda_double;

TEST_CASE("double: the host cannot access device memory, and kernels can") {
  reset({});
  float* const block = new_floats(4);
  const cudaStream_t stream = new_stream();
  REQUIRE(launch(stream, [=] { block[1] = 7; }) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  float values[4] = {};
  REQUIRE(cudaMemcpyAsync(values, block, sizeof values, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(values[1] == 7);
  CHECK_MESSAGE(std::isnan(values[0]), "memory that was never written");
  CHECK(signal_of([&] { static_cast<volatile float*>(block)[1] = 1; }) == SIGSEGV);
  CHECK(signal_of([&] { values[0] = static_cast<volatile float*>(block)[1]; }) == SIGSEGV);
  CHECK(complaints().empty());
}

TEST_CASE("double: blocks are allocated, freed and limited") {
  reset({.bytes_per_device = 4096});
  void* const block = new_block(1000);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 256 == 0);
  CHECK(usage() == Usage{.blocks = 1, .bytes = 1024});
  void* more = nullptr;
  CHECK(cudaMalloc(&more, 4096) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  std::size_t available = 0;
  std::size_t total = 0;
  CHECK(cudaMemGetInfo(&available, &total) == cudaSuccess);
  CHECK(available == 3072);
  CHECK(total == 4096);
  CHECK(cudaFree(static_cast<std::byte*>(block) + 256) == cudaErrorInvalidValue);
  CHECK(complaints().size() == 1);
  CHECK(cudaFree(block) == cudaSuccess);
  CHECK(cudaFree(block) == cudaErrorInvalidValue);
  CHECK(complaints().size() == 2);
  CHECK(new_block(1000) != block);
  CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("double: addresses are reused only when the range is exhausted") {
  reset({});
  device_memory().reset(std::size_t{1} << 20);
  std::set<void*> blocks;
  for (int round = 0; round < 100; ++round) {
    void* const block = new_block(std::size_t{100} << 10);
    blocks.insert(block);
    REQUIRE(cudaFree(block) == cudaSuccess);
  }
  CHECK(blocks.size() < 20);
  CHECK(usage() == Usage{});
}

// The address sanitizer stops such a write at once.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("double: writes outside a block are detected") {
  reset({});
  auto* const block = static_cast<char*>(new_block(10));
  const cudaStream_t stream = new_stream();
  REQUIRE(launch(stream, [=] { block[10] = 1; }) == cudaSuccess);
  REQUIRE(launch(stream, [=] { block[-3] = 1; }) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(complaints().empty());
  check_canaries();
  CHECK(complained("0 bytes behind a block of 10 bytes"));
  CHECK(complained("3 bytes before a block of 10 bytes"));
  CHECK(cudaFree(block) == cudaSuccess);
  CHECK(complaints().size() == 4);
}

TEST_CASE("double: a kernel that writes outside a block is named") {
  reset({.canaries_after_tasks = true});
  auto* const block = static_cast<char*>(new_block(10));
  const cudaStream_t stream = new_stream();
  for (int at = 9; at < 11; ++at) REQUIRE(launch(stream, [=] { block[at] = 1; }) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(complaints().size() == 1);
  CHECK(complained("found after kernel 2"));
}
#else
TEST_CASE("double: the sanitizer stops a kernel that leaves its block") {
  reset({});
  auto* const block = static_cast<char*>(new_block(10));
  const cudaStream_t stream = new_stream();
  REQUIRE(launch(stream, [=] { block[10] = 1; }) == cudaSuccess);
  CHECK(dies([&] { (void)cudaStreamSynchronize(stream); }));
}
#endif

TEST_CASE("double: copies of the wrong kind or beyond a block are refused") {
  reset({});
  float* const block = new_floats(2);
  float* const pinned = new_pinned(2);
  float host[4] = {};
  const cudaStream_t stream = new_stream();
  CHECK(cudaMemcpyAsync(block, host, 8, cudaMemcpyDeviceToDevice, stream) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(block, host, 8, cudaMemcpyDeviceToHost, stream) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(block, host, 12, cudaMemcpyHostToDevice, stream) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(block + 1, host, 8, cudaMemcpyHostToDevice, stream) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(pinned + 1, block, 8, cudaMemcpyDeviceToHost, stream) == cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(block, 0, 9, stream) == cudaErrorInvalidValue);
  CHECK(complaints().size() == 6);
  REQUIRE(cudaFree(block) == cudaSuccess);
  CHECK(cudaMemcpyAsync(block, host, 8, cudaMemcpyHostToDevice, stream) == cudaErrorInvalidValue);
}

TEST_CASE("double: page-locked memory is registered, used and released") {
  reset({});
  std::vector<float> values(5000);
  float* const start = values.data();
  CHECK(cudaHostRegister(start, 4000, cudaHostRegisterDefault) == cudaSuccess);
  CHECK(cudaHostRegister(start + 100, 4000, cudaHostRegisterDefault) == cudaErrorHostMemoryAlreadyRegistered);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, start + 999) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&attributes, start + 1000) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  float* const block = new_floats(1);
  CHECK(cudaPointerGetAttributes(&attributes, block) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeDevice);
  CHECK(complaints().empty());
  CHECK(cudaHostUnregister(start + 1) == cudaErrorHostMemoryNotRegistered);
  CHECK(cudaFreeHost(start) == cudaErrorInvalidValue);
  CHECK(complaints().size() == 2);
  const cudaStream_t stream = new_stream();
  REQUIRE(cudaMemcpyAsync(block, start, 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  CHECK(cudaHostUnregister(start) == cudaSuccess);
  CHECK(complained("while queued work touches it"));
  CHECK(usage().pinned_ranges == 0);
}

TEST_CASE("double: read-only memory can be registered as such only, and missing memory cannot") {
  reset({.locks_read_only = true});
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  CHECK(cudaHostRegister(page, 4096, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  CHECK(cudaHostRegister(page, 4096, cudaHostRegisterReadOnly) == cudaSuccess);
  float* const block = new_floats(1);
  CHECK(cudaMemcpyAsync(page, block, 4, cudaMemcpyDeviceToHost, new_stream()) == cudaErrorInvalidValue);
  CHECK(cudaHostUnregister(page) == cudaSuccess);
  munmap(page, 4096);
  CHECK(cudaHostRegister(page, 4096, cudaHostRegisterDefault) == cudaErrorInvalidValue);
}

TEST_CASE("double: streams and kernels are bound to their device") {
  reset({.devices = 2});
  int count = 0;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 2);
  CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
  const cudaStream_t first = new_stream();
  const cudaEvent_t event = new_event();
  CHECK(cudaSetDevice(1) == cudaSuccess);
  std::thread([&] {
    int device = -1;
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 0);  // the initial device of each thread
  }).join();
  CHECK(launch(first, [] {}) == cudaErrorInvalidResourceHandle);
  const cudaStream_t second = new_stream();
  CHECK(cudaEventRecord(event, second) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(event, first) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  CHECK(complaints().size() == 3);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 1) == cudaSuccess);
  CHECK(properties.major == 9);
  char id[13] = {};
  CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 1) == cudaSuccess);
  CHECK(std::string(id) == "0000:01:00.0");
}

TEST_CASE("double: errors without a device or driver are reported") {
  int count = 0;
  reset({.devices = 0});
  CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
  reset({.no_driver = true});
  CHECK(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
  CHECK(cudaDriverGetVersion(&count) == cudaSuccess);
  CHECK(count == 0);
  reset({.old_driver = true});
  CHECK(cudaSetDevice(0) == cudaErrorInsufficientDriver);
  CHECK(cudaDriverGetVersion(&count) == cudaSuccess);
  CHECK(count < CUDART_VERSION);
}

TEST_CASE("double: an allocation fails once") {
  reset({.failing_call = 1});
  void* block = new_block(4);
  void* other = &block;
  CHECK(cudaMalloc(&other, 4) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&other, 4) == cudaSuccess);
  CHECK(calls() == 3);
}

TEST_CASE("double: any other failure is permanent, and resources are still released") {
  reset({.failing_call = 3});
  float* const block = new_floats(1);
  const cudaStream_t stream = new_stream();
  bool ran = false;
  REQUIRE(launch(stream, [&ran] { ran = true; }) == cudaSuccess);
  const bool ran_before = ran;
  CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaFree(block) == cudaErrorLaunchFailure);
  CHECK(cudaStreamDestroy(stream) == cudaErrorLaunchFailure);
  CHECK_MESSAGE(ran == ran_before, "nothing runs on a device that failed");
  CHECK(usage() == Usage{});
  CHECK(complaints().empty());
}

TEST_CASE("double: kernels cannot call the API, and their exceptions are recorded") {
  reset({});
  const cudaStream_t stream = new_stream();
  cudaError_t inside = cudaSuccess;
  REQUIRE(launch(stream, [&] { inside = cudaStreamSynchronize(stream); }) == cudaSuccess);
  REQUIRE(launch(stream, [] { throw std::runtime_error("no"); }) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(inside == cudaErrorNotPermitted);
  CHECK(complaints().size() == 2);
}
