#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// A test double of the part of the CUDA runtime, cuDNN and cuBLAS that Troupe calls, for tests without a GPU. It
/// defines the same C functions and is linked instead of the libraries. Queued work runs late, inside later API calls,
/// in an order that depends on a seed. Where the real libraries would silently produce wrong results, the double
/// returns an error and records a complaint.
namespace troupe::cuda_double {

/// The simulated machine and its failures.
struct Settings {
  std::uint64_t seed = 1;  ///< determines when and in which order work runs, and the orders of algorithms and of
                           ///< unordered sums
  int devices = 1;
  bool names_differ = false;  ///< each device has its own name
  std::size_t bytes_per_device = std::size_t{1} << 30;
  std::int64_t failing_call = -1;  ///< index of the call that fails, as calls() counts, from 0; -1: none
  bool libraries_begin = true;     ///< if false, cuDNN and cuBLAS fail to start without a reason, as when they lack
                                   ///< memory
  bool no_driver = false;
  bool old_driver = false;
  int compute_major = 9;
  int compute_minor = 0;
  bool locks_read_only = false;  ///< whether read-only memory can be page-locked, as on few machines
  bool tf32 = true;  ///< float products round their factors to TF32 where the real libraries may: unless FMA is
                     ///< requested
  bool algorithms_differ = false;     ///< each algorithm of cuDNN sums in float, in its own order
  bool memcpy_runs_all = false;       ///< cudaMemcpy waits for all streams; the real one does not wait for non-blocking
                                      ///< ones
  bool races = true;                  ///< complains about unordered work on the same memory
  bool canaries_after_tasks = false;  ///< checks all canaries after each piece of work: slow, but identifies the faulty
                                      ///< work
};

/// Resources that were created and not yet released.
struct Usage {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;  ///< of blocks on all devices, each rounded up to 256
  std::int64_t streams = 0;
  std::int64_t events = 0;
  std::int64_t pinned_ranges = 0;
  std::int64_t descriptors = 0;
  std::int64_t handles = 0;

  bool operator==(const Usage&) const = default;
};

/// Resets everything: forgets blocks, streams, handles, queued work, complaints and counts.
void reset(const Settings& settings);

/// Returns the errors since reset(), in the order of their detection, with the call that detected them.
std::vector<std::string> complaints();

Usage usage();

/// Returns what the failing call reported: a lack of memory or a failure of the device.
enum class Failed { nothing, memory, device };
Failed failed();

/// Returns the allocated bytes on a device.
std::int64_t bytes_on_device(int device);

/// Returns the number of API calls since reset(). Calls that only return a version or a text do not count.
std::int64_t calls();

/// Return the bytes copied since reset(), by copies that have run.
std::int64_t bytes_to_device();
std::int64_t bytes_to_host();

/// Returns the kernels queued since reset(): host functions, convolutions and matrix products.
std::int64_t launches();

/// Returns the copies from or to memory that is not page-locked. Such copies are not asynchronous.
std::int64_t pageable_copies();

/// Returns the matrix products of handles without their own workspace. With several streams, their results may not be
/// bitwise reproducible.
std::int64_t products_without_workspace();

/// Complains about every write outside a block.
void check_canaries();

/// Returns the calls of cudaStreamWaitEvent since reset().
std::int64_t waits();

/// Ignores the k-th call of cudaStreamWaitEvent from now on, counted from 0.
void drop_wait(std::int64_t k);

/// Memory that a kernel reads, or reads and writes.
struct Touch {
  const void* start = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

/// Like cudaLaunchHostFunc, but the queue owns the function and frees it even if it never runs because of a failure.
/// @param touches the memory that the work touches, if known: then races are detected with every seed
cudaError_t launch(cudaStream_t stream, std::function<void()> work, std::vector<Touch> touches = {});

}  // namespace troupe::cuda_double
