#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "cuda/double/races.hpp"
#include "cuda/double/state.hpp"

namespace troupe::cuda_double {

/// One recording of an event. It lives as long as a stream waits for it, even after the event is destroyed.
struct Recording {
  cudaStream_t stream = nullptr;
  std::uint64_t position = 0;  ///< number of tasks of the stream that have run before it, itself included
  bool done = false;
  Clock clock = {};  ///< the work that happens before it
};

/// A piece of queued work: waits for a recording, makes one, or runs a function.
struct Task {
  std::string what;
  std::function<void()> run = nullptr;
  std::shared_ptr<Recording> waits_for = nullptr;
  std::shared_ptr<Recording> records = nullptr;
  std::vector<Touch> touches = {};  ///< device memory and page-locked memory that it touches, as far as known

  bool ready() const { return waits_for == nullptr || waits_for->done; }
};

struct Stream {
  int device = 0;
  cudaStream_t handle = nullptr;
  std::deque<Task> queue{};
  std::uint64_t queued = 0;
  std::uint64_t finished = 0;
  Clock clock = {};            ///< of the last queued task
  std::uint64_t priority = 0;  ///< order among the ready streams, until the next random choice
};

struct Event {
  int device = 0;
  bool timed = true;
  std::shared_ptr<Recording> latest = nullptr;  ///< null before the first recording
};

/// All streams. Their work runs inside host calls, in any order that a device could choose.
class Streams {
 public:
  cudaStream_t create(int device);

  /// @return null for an unknown or destroyed stream, and for the default streams
  Stream* find(cudaStream_t stream) { return streams_.find(stream); }

  void push(Stream& stream, Task task);

  /// Runs the work that `count` tasks of the stream depend on, and possibly more, depending on the seed.
  /// @return an error if the work waits for an event that is never recorded, or after a failure
  cudaError_t run_until(Stream& stream, std::uint64_t count);
  cudaError_t run_all(int device);
  cudaError_t run_all();

  /// Runs no task or a few tasks, depending on the seed.
  void run_some();

  /// Runs one task if any is ready.
  void run_one();

  /// Returns a queued task that is known to touch this memory, or null.
  const Task* task_touching(const void* start, std::size_t bytes);

  void destroy(cudaStream_t stream);
  void clear() { streams_.clear(); }
  std::int64_t size() const { return streams_.size(); }

 private:
  Stream* first_ready();
  Stream* needed_for(Stream& stream);
  Stream* waiting(int device);
  cudaError_t deadlock(const Stream& stream);
  void run_head(Stream& stream);

  Registry<cudaStream_t, Stream> streams_;
};

Streams& streams();
Registry<cudaEvent_t, Event>& events();

/// Returns the stream for a call that queues work. Complains about unknown and default streams.
Stream* stream_for_work(cudaStream_t stream);

/// Like `stream_for_work`, for kernels. The stream's device must be the current one.
/// @return cudaSuccess and the stream
cudaError_t stream_for_kernel(cudaStream_t handle, Stream*& stream);

}  // namespace troupe::cuda_double
