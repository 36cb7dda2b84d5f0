#include "models/data/shared/shared_memory.hpp"

#include <mutex>
#include <utility>

namespace troupe {
namespace {

struct Ours {
  std::mutex mutex;
  std::shared_ptr<SharedMemory> memory;
};

Ours& ours() {
  static auto& all = *new Ours;  // never destroyed, because threads of abandoned replicas may use it after main has
                                 // returned
  return all;
}

}  // namespace

std::shared_ptr<SharedMemory> shared_memory() {
  const std::scoped_lock lock(ours().mutex);
  return ours().memory;
}

void share_memory(std::shared_ptr<SharedMemory> with) {
  const std::scoped_lock lock(ours().mutex);
  ours().memory = std::move(with);
}

}  // namespace troupe
