#include "cuda/double/streams.hpp"

#include <exception>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/state.hpp"

namespace troupe::cuda_double {

namespace {

/// Runs a task's function like a device: it may not call the API, and its exceptions do not propagate.
void run_function(const Task& task) {
  this_thread().working = true;
  try {
    task.run();
  } catch (const std::exception& error) {
    complain(task.what + " throws: " + error.what());
  } catch (...) {
    complain(task.what + " throws");
  }
  this_thread().working = false;
}

}  // namespace

Streams& streams() {
  static auto* const kAll = new Streams;
  return *kAll;
}

cudaStream_t Streams::create(int device) {
  const cudaStream_t handle = streams_.add({.device = device, .priority = draw(1U << 16)});
  find(handle)->handle = handle;
  return handle;
}

void Streams::push(Stream& stream, Task task) {
  ++stream.clock[stream.handle];
  if (task.waits_for) merge(stream.clock, task.waits_for->clock);
  if (task.records) task.records->clock = stream.clock;
  races().add(stream.handle, stream.device, stream.clock, task.what, task.touches);
  stream.queue.push_back(std::move(task));
  ++stream.queued;
}

Stream* Streams::first_ready() {
  // Priorities that last for a while let a stream run far ahead of another. A new random choice for each task would
  // rarely do so.
  const bool anew = draw(8) == 0;
  Stream* first = nullptr;
  for (auto& [handle, stream] : streams_) {
    if (anew) stream.priority = draw(1U << 16);
    if (stream.queue.empty() || !stream.queue.front().ready()) continue;
    if (first == nullptr || stream.priority > first->priority) first = &stream;
  }
  return first;
}

Stream* Streams::needed_for(Stream& stream) {
  Stream* at = &stream;
  for (std::int64_t steps = 0; steps <= size() && at != nullptr && !at->queue.empty(); ++steps) {
    if (at->queue.front().ready()) return at;
    at = find(at->queue.front().waits_for->stream);
  }
  return nullptr;
}

Stream* Streams::waiting(int device) {
  std::uint64_t count = 0;
  Stream* chosen = nullptr;
  for (auto& [handle, stream] : streams_)
    if (stream.device == device && !stream.queue.empty() && draw(++count) == 0) chosen = &stream;
  return chosen;
}

void Streams::run_head(Stream& stream) {
  const Task task = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (task.run) run_function(task);
  if (task.records) task.records->done = true;
  ++stream.finished;
  if (state().settings.canaries_after_tasks) device_memory().check_canaries("after " + task.what);
}

cudaError_t Streams::deadlock(const Stream& stream) {
  const std::string head = stream.queue.empty() ? "work that was never queued" : stream.queue.front().what;
  state().sticky = cudaErrorLaunchTimeout;
  return complain(state().sticky, "deadlock: " + head + " waits for an event that is never recorded");
}

cudaError_t Streams::run_until(Stream& stream, std::uint64_t count) {
  if (state().sticky != cudaSuccess) return state().sticky;
  // Running as little as possible reveals premature reads of the host. Running as much as possible reveals streams that
  // overtake each other.
  const bool as_little_as_possible = draw(2) == 0;
  const DeviceAccess access;
  while (stream.finished < count) {
    Stream* const next = as_little_as_possible ? needed_for(stream) : first_ready();
    if (next == nullptr) return deadlock(stream);
    run_head(*next);
  }
  return cudaSuccess;
}

cudaError_t Streams::run_all(int device) {
  const DeviceAccess access;
  while (Stream* const stream = waiting(device))
    if (const cudaError_t error = run_until(*stream, stream->finished + 1); error != cudaSuccess) return error;
  for (auto& [handle, stream] : streams_)
    if (stream.device == device) races().host_saw(stream.clock);
  races().host_saw_device(device);
  return state().sticky;
}

cudaError_t Streams::run_all() {
  for (int device = 0; device < state().settings.devices; ++device)
    if (const cudaError_t error = run_all(device); error != cudaSuccess) return error;
  return state().sticky;
}

void Streams::run_one() {
  Stream* const stream = state().sticky == cudaSuccess ? first_ready() : nullptr;
  if (stream == nullptr) return;
  const DeviceAccess access;
  run_head(*stream);
}

void Streams::run_some() {
  if (draw(8) != 0 || first_ready() == nullptr) return;
  const DeviceAccess access;
  for (std::uint64_t left = 1 + draw(8); left > 0; --left) run_one();
}

const Task* Streams::task_touching(const void* start, std::size_t bytes) {
  for (auto& [handle, stream] : streams_)
    for (const Task& task : stream.queue)
      for (const Touch& touch : task.touches)
        if (overlap(start, bytes, touch.start, touch.bytes)) return &task;
  return nullptr;
}

void Streams::destroy(cudaStream_t stream) {
  run_until(*find(stream), find(stream)->queued);
  streams_.remove(stream);
}

Stream* stream_for_work(cudaStream_t stream) {
  Stream* const found = streams().find(stream);
  if (found == nullptr)
    complain(stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread
                 ? "the default stream, which Troupe never uses"
                 : "a stream that is unknown or was destroyed");
  return found;
}

cudaError_t stream_for_kernel(cudaStream_t handle, Stream*& stream) {
  stream = stream_for_work(handle);
  if (stream == nullptr) return cudaErrorInvalidValue;
  if (stream->device == this_thread().device) return cudaSuccess;
  return complain(cudaErrorInvalidResourceHandle, "a stream of device " + std::to_string(stream->device) +
                                                      " while device " + std::to_string(this_thread().device) +
                                                      " is current");
}

}  // namespace troupe::cuda_double
