#include "models/cpu/memory/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/processes/limits.hpp"
#include "runtime/processes/memory.hpp"

namespace troupe::cpu {

namespace {

constexpr std::align_val_t kLargePage{std::size_t{1} << 21};

std::byte* allocate(std::size_t bytes) {
  require_memory(bytes, "a pass through the network");
  void* const data = ::operator new(bytes, kLargePage);
  ::madvise(data, bytes, MADV_HUGEPAGE);  // a failure is ignored, because small pages work, too
  return static_cast<std::byte*>(data);
}

/// Fills the block with NaN if the program is built with sanitizers, so that reads of uninitialized values become
/// visible. Returns the block.
Block poisoned(Block block) {
#if defined(TROUPE_SANITIZED)
  std::memset(block.data(), 0xFF, block.bytes());
#endif
  return block;
}

}  // namespace

Block::Block(std::size_t bytes) : bytes_(bytes), data_(allocate(bytes)) {}

void Block::Free::operator()(std::byte* data) const { ::operator delete(data, kLargePage); }

std::shared_ptr<ArenaPool> ArenaPool::shared() {
  static std::mutex mutex;
  static std::weak_ptr<ArenaPool> current;
  const std::scoped_lock lock(mutex);
  auto pool = current.lock();
  if (!pool) current = pool = std::make_shared<ArenaPool>();
  return pool;
}

void ArenaPool::add(std::size_t bytes) {
  const std::scoped_lock lock(adding_);  // one caller at a time, so that each checks the memory that remains after the
                                         // previous one
  Block block(bytes);
  for (std::size_t at = 0; at < bytes; at += kPageBytes) block.data()[at] = std::byte{};
  give_back(std::move(block));
}

Block ArenaPool::take(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  std::ranges::sort(free_, {}, &Block::bytes);
  auto found = std::ranges::lower_bound(free_, bytes, {}, &Block::bytes);
  if (found == free_.end()) {
    if (!free_.empty()) free_.erase(free_.begin());  // all unused blocks are too small: frees the smallest one
    return poisoned(Block(bytes));
  }
  Block block = std::move(*found);
  free_.erase(found);
  return poisoned(std::move(block));
}

void ArenaPool::give_back(Block block) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(block));
}

}  // namespace troupe::cpu
