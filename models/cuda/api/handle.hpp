#pragma once

#include <utility>

#include "models/cuda/api/check.hpp"

namespace troupe::cuda {

/// Something that one function of CUDA makes and another one ends.
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

/// Work that is done in order, beside that of other streams.
class Stream {
 public:
  Stream()
      : handle_([](cudaStream_t* made) { check(cudaStreamCreateWithFlags(made, cudaStreamNonBlocking), "a stream"); }),
        so_far_([](cudaEvent_t* made) {
          check(cudaEventCreateWithFlags(made, cudaEventDisableTiming | cudaEventBlockingSync), "an event");
        }) {}

  cudaStream_t get() const { return handle_.get(); }
  /// Waits for all that it was given: looks a few times, since what is short ends before a thread has slept and woken,
  /// and then sleeps, where cudaStreamSynchronize may keep a core busy.
  void synchronize() const {
    constexpr int kLooks = 50;  // some 100 microseconds
    check(cudaEventRecord(so_far_.get(), get()), "recording an event");
    cudaError_t state = cudaEventQuery(so_far_.get());
    for (int look = 1; look < kLooks && state == cudaErrorNotReady; ++look) {
      forget_error();  // that it was not ready
      state = cudaEventQuery(so_far_.get());
    }
    if (state == cudaErrorNotReady) forget_error();
    check(state == cudaErrorNotReady ? cudaEventSynchronize(so_far_.get()) : state, "waiting for the device");
  }

 private:
  Handle<cudaStream_t, cudaStreamDestroy> handle_;
  Handle<cudaEvent_t, cudaEventDestroy> so_far_;
};

/// A place in a stream's work that other streams can wait for.
class Event {
 public:
  Event() : Event(cudaEventDisableTiming) {}

  void record(const Stream& stream) const { check(cudaEventRecord(handle_.get(), stream.get()), "recording an event"); }
  /// What the stream is given from now on waits for what was recorded.
  void block(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream.get(), handle_.get(), 0), "waiting for an event");
  }

 protected:
  explicit Event(unsigned flags)
      : handle_([flags](cudaEvent_t* made) { check(cudaEventCreateWithFlags(made, flags), "an event"); }) {}
  cudaEvent_t get() const { return handle_.get(); }

 private:
  Handle<cudaEvent_t, cudaEventDestroy> handle_;
};

/// One that knows when it came.
class TimedEvent : public Event {
 public:
  TimedEvent() : Event(cudaEventDefault) {}

  /// Both have come.
  double seconds_since(const TimedEvent& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.get(), get()), "asking for a time");
    return milliseconds * 1e-3;
  }
};

}  // namespace troupe::cuda
