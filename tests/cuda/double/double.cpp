#include "cuda/double/double.hpp"

#include <algorithm>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/maths/cudnn_descriptors.hpp"
#include "cuda/double/maths/handles.hpp"
#include "cuda/double/pinned.hpp"
#include "cuda/double/state.hpp"
#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

namespace {

/// Returns twice the memory of the devices, so that addresses of freed blocks stay unused for a long time.
std::size_t range_bytes(const Settings& settings) {
  constexpr std::size_t kLeast = std::size_t{4} << 30;
  return std::max(kLeast, 2 * static_cast<std::size_t>(settings.devices) * settings.bytes_per_device);
}

/// Reads a counter of the state while other threads may change it.
std::int64_t counted(std::int64_t State::*count) {
  const std::scoped_lock lock(state().mutex);
  return state().*count;
}

void reset_counts(State& all) {
  all.complaints.clear();
  all.call = "no call";
  all.failed = Failed::nothing;
  all.sticky = cudaSuccess;
  all.waits_until_drop = -1;
  all.waits = 0;
  all.calls = all.launches = all.bytes_to_device = all.bytes_to_host = 0;
  all.pageable_copies = all.products_without_workspace = 0;
}

}  // namespace

void reset(const Settings& settings) {
  State& all = state();
  const std::scoped_lock lock(all.mutex);
  ++all.generation;
  all.settings = settings;
  all.random.seed(settings.seed);
  reset_counts(all);
  streams().clear();
  races().clear();
  events().clear();
  descriptors() = {};
  cudnn_handles().clear();
  cublas_handles().clear();
  pinned().clear();
  device_memory().reset(range_bytes(settings));
}

std::vector<std::string> complaints() {
  const std::scoped_lock lock(state().mutex);
  return state().complaints;
}

Usage usage() {
  const std::scoped_lock lock(state().mutex);
  std::size_t bytes = 0;
  for (int device = 0; device < state().settings.devices; ++device) bytes += device_memory().bytes(device);
  return {.blocks = device_memory().blocks(),
          .bytes = static_cast<std::int64_t>(bytes),
          .streams = streams().size(),
          .events = events().size(),
          .pinned_ranges = pinned().size(),
          .descriptors = descriptors().size(),
          .handles = cudnn_handles().size() + cublas_handles().size()};
}

Failed failed() {
  const std::scoped_lock lock(state().mutex);
  return state().failed;
}

std::int64_t bytes_on_device(int device) {
  const std::scoped_lock lock(state().mutex);
  return static_cast<std::int64_t>(device_memory().bytes(device));
}

std::int64_t calls() { return counted(&State::calls); }
std::int64_t bytes_to_device() { return counted(&State::bytes_to_device); }
std::int64_t bytes_to_host() { return counted(&State::bytes_to_host); }
std::int64_t launches() { return counted(&State::launches); }
std::int64_t waits() { return counted(&State::waits); }
std::int64_t pageable_copies() { return counted(&State::pageable_copies); }
std::int64_t products_without_workspace() { return counted(&State::products_without_workspace); }

void check_canaries() {
  const std::scoped_lock lock(state().mutex);
  device_memory().check_canaries("by check_canaries()");
}

void drop_wait(std::int64_t k) {
  const std::scoped_lock lock(state().mutex);
  state().waits_until_drop = k;
}

}  // namespace troupe::cuda_double
