#include "cuda/double/state.hpp"

#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

namespace {

cudaError_t missing_device() {
  const Settings& settings = state().settings;
  if (settings.no_driver || settings.old_driver) return cudaErrorInsufficientDriver;
  return settings.devices == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t injected_failure(Kind kind) {
  state().failed = kind == Kind::allocation ? Failed::memory : Failed::device;
  if (kind == Kind::allocation) return cudaErrorMemoryAllocation;
  state().sticky = cudaErrorLaunchFailure;
  return state().sticky;
}

}  // namespace

State& state() {
  static auto* const kAll = new State;
  return *kAll;
}

ThreadState& this_thread() {
  thread_local ThreadState own;
  if (own.generation != state().generation) own = {.generation = state().generation};
  return own;
}

std::uintptr_t new_handle() {
  static std::atomic<std::uintptr_t> last = 0x7000'0000'0000;
  return last += 64;
}

std::uint64_t draw(std::uint64_t count) { return state().random() % count; }

void complain(const std::string& text) {
  State& all = state();
  all.complaints.push_back("call " + std::to_string(all.calls - 1) + ", " + all.call + ": " + text);
}

void complain_about_nesting(const char* name) { complain(std::string(name) + " is called by queued work"); }

cudaError_t begin_call(const char* name, Kind kind) {
  State& all = state();
  all.call = name;
  const std::int64_t number = all.calls++;
  if (all.sticky != cudaSuccess) return all.sticky;
  if (number == all.settings.failing_call) return injected_failure(kind);
  if (const cudaError_t missing = missing_device(); missing != cudaSuccess) return missing;
  streams().run_some();
  return cudaSuccess;
}

}  // namespace troupe::cuda_double
