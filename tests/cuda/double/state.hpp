#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cuda/double/double.hpp"

namespace troupe::cuda_double {

/// The state shared by all calls: one per process, as in the libraries. It is never destroyed, like everything in the
/// double, because static destructors of a backend may still make calls.
struct State {
  std::mutex mutex;                           ///< held throughout a call and the work that it runs
  std::atomic<std::uint64_t> generation = 1;  ///< number of resets; tells whether a thread's state is outdated
  Settings settings;
  std::mt19937_64 random{1};
  std::vector<std::string> complaints;
  std::string call;  ///< the current call
  Failed failed = Failed::nothing;
  cudaError_t sticky = cudaSuccess;  ///< returned by every call after a failure on the device
  std::int64_t calls = 0;
  std::int64_t waits = 0;
  std::int64_t waits_until_drop = -1;
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t launches = 0;
  std::int64_t pageable_copies = 0;
  std::int64_t products_without_workspace = 0;
};

State& state();

/// The state that CUDA keeps for each host thread.
struct ThreadState {
  std::uint64_t generation = 0;
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  bool working = false;  ///< runs queued work, which may not call the API
};

ThreadState& this_thread();

/// Returns a pseudo-random number below `count`.
std::uint64_t draw(std::uint64_t count);

/// Records a complaint about the current call.
void complain(const std::string& text);

template <class Status>
Status complain(Status status, const std::string& text) {
  complain(text);
  return status;
}

enum class Kind : std::uint8_t {
  ordinary,
  allocation,  ///< an injected failure is "out of memory" and has no other effect
  release      ///< does its work even if it reports a failure
};

/// Counts a call. Returns an error if the call must fail regardless of its arguments.
cudaError_t begin_call(const char* name, Kind kind);

/// Complains about an API call from queued work.
void complain_about_nesting(const char* name);

/// Runs a call of one of the libraries.
/// @param failure converts a CUDA error to the library's status
template <class Body, class Failure>
auto library_call(const char* name, Kind kind, const Failure& failure, const Body& body) {
  if (this_thread().working) {
    complain_about_nesting(name);
    return failure(cudaErrorNotPermitted);
  }
  const std::scoped_lock lock(state().mutex);
  const cudaError_t error = begin_call(name, kind);
  if (error == cudaSuccess) return body();
  if (kind == Kind::release) body();
  return failure(error);
}

/// Runs a call of the CUDA runtime and records the last error of the thread.
template <class Body>
cudaError_t cuda_call(const char* name, Kind kind, const Body& body) {
  const cudaError_t error = library_call(
      name, kind, [](cudaError_t failed) { return failed; }, body);
  if (error != cudaSuccess) this_thread().last_error = error;
  return error;
}

template <class Body>
cudaError_t cuda_call(const char* name, const Body& body) {
  return cuda_call(name, Kind::ordinary, body);
}

/// Returns a handle that was never returned before, of any kind, and that points to no memory.
std::uintptr_t new_handle();

/// Objects by handle. Handles are never reused, so a destroyed handle stays unknown.
template <class Handle, class Object>
class Registry {
 public:
  Handle add(Object object) {
    const std::uintptr_t handle = new_handle();
    objects_.emplace(handle, std::move(object));
    return to_handle(handle);
  }

  /// @return null for an unknown handle
  Object* find(Handle handle) {
    const auto found = objects_.find(to_number(handle));
    return found == objects_.end() ? nullptr : &found->second;
  }

  bool remove(Handle handle) { return objects_.erase(to_number(handle)) != 0; }
  void clear() { objects_.clear(); }
  std::int64_t size() const { return static_cast<std::int64_t>(objects_.size()); }

  auto begin() { return objects_.begin(); }
  auto end() { return objects_.end(); }

  static Handle to_handle(std::uintptr_t number) { return reinterpret_cast<Handle>(number); }
  static std::uintptr_t to_number(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }

 private:
  std::map<std::uintptr_t, Object> objects_;
};

}  // namespace troupe::cuda_double
