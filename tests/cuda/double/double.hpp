#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// A double of the part of the CUDA runtime, cuDNN and cuBLAS that Troupe calls, for tests without a GPU. It defines
/// the same C functions and is linked instead of the libraries. Queued work runs late, in an order drawn by a seed,
/// inside calls of the API; what the real ones would silently spoil is an error and a complaint.
namespace troupe::cuda_double {

/// What the machine is, and what goes wrong on it.
struct Settings {
  std::uint64_t seed = 1;  ///< draws when and in which order work runs, orders of algorithms and of unordered sums
  int devices = 1;
  bool names_differ = false;  ///< each device has a name of its own
  std::size_t bytes_per_device = std::size_t{1} << 30;
  std::int64_t failing_call = -1;  ///< the call that fails, counted from 0 as calls() counts; -1: none
  bool libraries_begin = true;     ///< false: as without memory for themselves, of which they say nothing
  bool no_driver = false;
  bool old_driver = false;
  int compute_major = 9;
  int compute_minor = 0;
  bool locks_read_only = false;  ///< whether memory that is only read can be page-locked, which few machines can
  bool tf32 = true;  ///< float maths rounds its factors to TF32 where the real libraries may: unless FMA is asked for
  bool algorithms_differ = false;     ///< each algorithm of cuDNN sums in float, in an order of its own
  bool memcpy_runs_all = false;       ///< cudaMemcpy waits for streams; the real one does not for non-blocking ones
  bool races = true;                  ///< complains about work that touches the same memory in no order
  bool canaries_after_tasks = false;  ///< looks at all canaries after each piece of work: slow, but names the culprit
};

/// What was made and not yet given back.
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

/// Starts anew: forgets blocks, streams, handles, queued work, complaints and counts.
void reset(const Settings& settings);

/// What was done wrong since reset(), in the order it was found, with the call that it was found in.
std::vector<std::string> complaints();

Usage usage();

/// What the failing call said, which was that of memory or of the device.
enum class Failed { nothing, memory, device };
Failed failed();

/// Bytes on a device in what was allocated and not yet given back.
std::int64_t bytes_on_device(int device);

/// Calls of the API since reset(). Those that only say which version or text do not count.
std::int64_t calls();

/// Copied since reset(), by copies that have run.
std::int64_t bytes_to_device();
std::int64_t bytes_to_host();

/// Kernels queued since reset(): host functions, convolutions and matrix products.
std::int64_t launches();

/// Copies from or to memory that is not page-locked, which are not asynchronous.
std::int64_t pageable_copies();

/// Matrix products of a handle without a workspace of its own: over several streams their bits may change.
std::int64_t products_without_workspace();

/// Complains about every write beside a block.
void check_canaries();

/// Calls of cudaStreamWaitEvent since reset().
std::int64_t waits();

/// Leaves out the k-th call of cudaStreamWaitEvent from now on, counted from 0.
void drop_wait(std::int64_t k);

/// Memory that a kernel reads, or that it writes too.
struct Touch {
  const void* start = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

/// cudaLaunchHostFunc for a function that the queue owns: it is freed even if it never runs, after a failure.
/// @param touches what it touches, where that is known: then races are found whatever the seed is
cudaError_t launch(cudaStream_t stream, std::function<void()> work, std::vector<Touch> touches = {});

}  // namespace troupe::cuda_double
