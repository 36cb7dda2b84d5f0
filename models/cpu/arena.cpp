#include "models/cpu/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/memory.hpp"

namespace troupe::cpu {

namespace {

constexpr std::align_val_t kLargePage{std::size_t{1} << 21};

std::byte* allocate(std::size_t bytes) {
  void* const data = ::operator new(bytes, kLargePage);
  ::madvise(data, bytes, MADV_HUGEPAGE);  // a wish: small pages do as well
  return static_cast<std::byte*>(data);
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
  Block block(bytes);
  for (std::size_t at = 0; at < bytes; at += kPageBytes) block.data()[at] = std::byte{};
  give_back(std::move(block));
}

Block ArenaPool::take(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto enough = [bytes](const Block& block) { return block.bytes() >= bytes; };
  if (const auto found = std::ranges::find_if(free_, enough); found != free_.end()) {
    Block block = std::move(*found);
    free_.erase(found);
    return block;
  }
  if (!free_.empty()) free_.pop_back();  // too small: the new one replaces it
  return Block(bytes);
}

void ArenaPool::give_back(Block block) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(block));
}

}  // namespace troupe::cpu
