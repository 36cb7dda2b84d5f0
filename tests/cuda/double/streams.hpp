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

/// One recording of an event. It outlives the event as long as a stream waits for it.
struct Recording {
  cudaStream_t stream = nullptr;
  std::uint64_t position = 0;  ///< in its stream: how many tasks have run when it has
  bool done = false;
  Clock clock = {};  ///< what has come before it
};

/// A piece of queued work: it waits for a recording, or records one, or runs something.
struct Task {
  std::string what;
  std::function<void()> run = nullptr;
  std::shared_ptr<Recording> waits_for = nullptr;
  std::shared_ptr<Recording> records = nullptr;
  std::vector<Touch> touches = {};  ///< memory of devices and page-locked memory, as far as it is known

  bool ready() const { return waits_for == nullptr || waits_for->done; }
};

struct Stream {
  int device = 0;
  cudaStream_t handle = nullptr;
  std::deque<Task> queue{};
  std::uint64_t queued = 0;
  std::uint64_t finished = 0;
  Clock clock = {};            ///< of the last task that was queued
  std::uint64_t priority = 0;  ///< which of the ready streams goes first, until it is drawn anew
};

struct Event {
  int device = 0;
  bool timed = true;
  std::shared_ptr<Recording> latest = nullptr;  ///< null until it is first recorded
};

/// All streams. Their work runs when the host calls, in any order that a device could have chosen.
class Streams {
 public:
  cudaStream_t create(int device);

  /// @return null for an unknown or destroyed stream, and for the default streams
  Stream* find(cudaStream_t stream) { return streams_.find(stream); }

  void push(Stream& stream, Task task);

  /// Runs what has to run before `count` tasks of the stream have, and by the seed's choice more.
  /// @return an error where it waits for something that never comes, or after a failure
  cudaError_t run_until(Stream& stream, std::uint64_t count);
  cudaError_t run_all(int device);
  cudaError_t run_all();

  /// Runs nothing or a few tasks, by the seed's choice.
  void run_some();

  /// Runs a task, if one is ready.
  void run_one();

  /// A queued task that is known to touch this memory, or null.
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

/// The stream of a call that puts work on it; complains about unknown and default streams.
Stream* stream_for_work(cudaStream_t stream);

/// The same for kernels, which also need the stream's device to be the current one.
/// @return cudaSuccess, with the stream
cudaError_t stream_for_kernel(cudaStream_t handle, Stream*& stream);

}  // namespace troupe::cuda_double
