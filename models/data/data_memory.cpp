#include "models/data/data_memory.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

constexpr std::size_t kMostBytesAhead = std::size_t{64} << 20;
constexpr std::size_t kMostBytesAheadOfDevice = std::size_t{256} << 20;  // more than for CPUs, because accelerators
                                                                         // process larger batches
constexpr std::size_t kMostBytesOfParts = std::size_t{512} << 20;
constexpr std::size_t kPartsOfReplica = std::size_t{128} << 20;  // two groups of parts that are shuffled together

std::atomic<std::size_t> held_at_most = 0;
std::atomic<std::size_t> reading_replicas = 1;
std::atomic<std::size_t> loading_processes = 1;

}  // namespace

std::size_t data_memory() {
  const std::size_t bytes = held_at_most;
  return bytes > 0 ? bytes : memory_bytes() / 2;
}

void limit_data_memory(std::size_t bytes, int replicas, int processes) {
  held_at_most = bytes;
  loading_processes = static_cast<std::size_t>(std::max(1, processes));
  reading_replicas = static_cast<std::size_t>(std::max(1, replicas));
}

bool fits_in_data_memory(std::size_t bytes) { return bytes <= data_memory() / 2; }

std::size_t read_ahead_memory(bool on_device) {
  return std::min(on_device ? kMostBytesAheadOfDevice : kMostBytesAhead, data_memory() / 4 / reading_replicas);
}

std::size_t replicas_of_process() { return (reading_replicas + loading_processes - 1) / loading_processes; }

std::size_t part_memory() {
  return std::min(std::max(kMostBytesOfParts, kPartsOfReplica * replicas_of_process()),
                  data_memory() / 2 / loading_processes);
}

}  // namespace troupe
