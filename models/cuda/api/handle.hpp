#pragma once

#include <utility>

#include "models/cuda/api/check.hpp"

namespace troupe::cuda {

/// Owns an object of a CUDA library. `kDestroy` is the library's function that destroys such an object.
template <class T, auto kDestroy>
class Handle {
 public:
  template <class Create>
  explicit Handle(const Create& create) {
    create(&value_);
  }
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (value_ != nullptr && static_cast<int>(kDestroy(value_)) != 0) forget_error();
  }

  T get() const { return value_; }

 private:
  T value_ = nullptr;
};

/// A CUDA stream: a queue of work. The work of one stream runs in order, and concurrently with the work of other
/// streams.
class Stream {
 public:
  Stream()
      : handle_([](cudaStream_t* made) {
          check(cudaStreamCreateWithFlags(made, cudaStreamNonBlocking), "creating a stream");
        }),
        so_far_([](cudaEvent_t* made) {
          check(cudaEventCreateWithFlags(made, cudaEventDisableTiming | cudaEventBlockingSync), "creating an event");
        }) {}

  cudaStream_t get() const { return handle_.get(); }
  /// Blocks until all work of the stream has ended. First polls a few times, because short work ends before the thread
  /// could sleep and wake up. Then sleeps until the work ends. cudaStreamSynchronize is not used, because it may keep a
  /// core busy while it waits.
  void synchronize() const {
    constexpr int kLooks = 50;  // polls for about 100 microseconds
    check(cudaEventRecord(so_far_.get(), get()), "recording an event");
    cudaError_t state = cudaEventQuery(so_far_.get());
    for (int look = 1; look < kLooks && state == cudaErrorNotReady; ++look) {
      forget_error();  // clears the error "not ready"
      state = cudaEventQuery(so_far_.get());
    }
    if (state == cudaErrorNotReady) forget_error();
    check(state == cudaErrorNotReady ? cudaEventSynchronize(so_far_.get()) : state, "waiting for the device");
  }

 private:
  Handle<cudaStream_t, cudaStreamDestroy> handle_;
  Handle<cudaEvent_t, cudaEventDestroy> so_far_;
};

/// An event marks a point in the work of a stream. Other streams can wait until all work before this point is done.
class Event {
 public:
  Event() : Event(cudaEventDisableTiming) {}

  void record(const Stream& stream) const { check(cudaEventRecord(handle_.get(), stream.get()), "recording an event"); }
  /// Makes all work that is queued on `stream` from now on wait for the work before the event.
  void block(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream.get(), handle_.get(), 0), "waiting for an event");
  }

 protected:
  explicit Event(unsigned flags)
      : handle_([flags](cudaEvent_t* made) { check(cudaEventCreateWithFlags(made, flags), "creating an event"); }) {}
  cudaEvent_t get() const { return handle_.get(); }

 private:
  Handle<cudaEvent_t, cudaEventDestroy> handle_;
};

/// An event that also records the time at which the stream reaches it.
class TimedEvent : public Event {
 public:
  TimedEvent() : Event(cudaEventDefault) {}

  /// Returns the seconds from the event `earlier` to this event. The streams must have reached both events.
  double seconds_since(const TimedEvent& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.get(), get()), "querying a time");
    return milliseconds * 1e-3;
  }
};

}  // namespace troupe::cuda
