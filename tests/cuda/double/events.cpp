#include "cuda/double/state.hpp"
#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

Registry<cudaEvent_t, Event>& events() {
  static auto* const kAll = new Registry<cudaEvent_t, Event>;
  return *kAll;
}

namespace {

cudaError_t create_event(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return complain(cudaErrorInvalidValue, "a null pointer for the event");
  *event = events().add({.device = this_thread().device, .timed = (flags & cudaEventDisableTiming) == 0});
  return cudaSuccess;
}

/// Calls `body` with a known event, or fails.
template <class Body>
cudaError_t with_event(cudaEvent_t handle, const Body& body) {
  Event* const event = events().find(handle);
  if (event == nullptr) return complain(cudaErrorInvalidResourceHandle, "an event that is unknown or was destroyed");
  return body(*event);
}

cudaError_t record(Event& event, cudaStream_t handle) {
  Stream* const stream = stream_for_work(handle);
  if (stream == nullptr) return cudaErrorInvalidValue;
  if (stream->device != event.device)
    return complain(cudaErrorInvalidResourceHandle, "an event and a stream of different devices");
  event.latest = std::make_shared<Recording>(Recording{.stream = handle, .position = stream->queued + 1});
  streams().push(*stream, {.what = "an event's record", .records = event.latest});
  return cudaSuccess;
}

cudaError_t wait_for(cudaStream_t handle, const Event& event) {
  Stream* const stream = stream_for_work(handle);
  if (stream == nullptr) return cudaErrorInvalidValue;
  ++state().waits;
  const bool dropped = state().waits_until_drop >= 0 && state().waits_until_drop-- == 0;
  if (event.latest != nullptr && !dropped)
    streams().push(*stream, {.what = "a wait for an event", .waits_for = event.latest});
  return cudaSuccess;
}

cudaError_t synchronize(const Event& event) {
  if (event.latest == nullptr) return cudaSuccess;
  Stream* const stream = streams().find(event.latest->stream);
  const cudaError_t error = stream == nullptr ? state().sticky : streams().run_until(*stream, event.latest->position);
  races().host_saw(event.latest->clock);
  return error;
}

cudaError_t query(const Event& event) {
  // With probability 1/2, so that a loop of polls ends.
  if (draw(2) == 0) streams().run_one();
  if (event.latest == nullptr) return cudaSuccess;
  if (!event.latest->done) return cudaErrorNotReady;
  races().host_saw(event.latest->clock);
  return cudaSuccess;
}

cudaError_t elapsed(float* milliseconds, const Event& start, const Event& end) {
  if (!start.timed || !end.timed || start.latest == nullptr || end.latest == nullptr)
    return complain(cudaErrorInvalidResourceHandle, "an event without timing, or that was never recorded");
  if (!start.latest->done || !end.latest->done) return cudaErrorNotReady;
  const cudaStream_t stream = start.latest->stream;
  const std::uint64_t begun = start.latest->clock.at(stream);
  const auto seen = end.latest->clock.find(stream);
  if (seen == end.latest->clock.end() || seen->second < begun)
    return complain(cudaErrorInvalidResourceHandle, "the time between two events in the wrong order");
  // Within one stream, each piece of work takes a microsecond.
  *milliseconds = end.latest->stream == stream ? 0.001F * static_cast<float>(seen->second - begun) : 0.001F;
  return cudaSuccess;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return cuda_call("cudaEventCreateWithFlags", [&] { return create_event(event, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cuda_call("cudaEventCreate", [&] { return create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return cuda_call("cudaEventDestroy", Kind::release, [&] {
    return with_event(event, [&](Event&) {
      events().remove(event);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cuda_call("cudaEventRecord",
                   [&] { return with_event(event, [&](Event& found) { return record(found, stream); }); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return cuda_call("cudaStreamWaitEvent",
                   [&] { return with_event(event, [&](Event& found) { return wait_for(stream, found); }); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cuda_call("cudaEventSynchronize", [&] { return with_event(event, synchronize); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cuda_call("cudaEventQuery", [&] { return with_event(event, query); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cuda_call("cudaEventElapsedTime", [&] {
    return with_event(start, [&](Event& first) {
      return with_event(end, [&](Event& last) { return elapsed(milliseconds, first, last); });
    });
  });
}
}
