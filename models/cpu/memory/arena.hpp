#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe::cpu {

/// A block of memory, in large pages if the machine supports them.
class Block {
 public:
  explicit Block(std::size_t bytes);

  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

/// A pool of memory blocks for values that are needed during one forward and backward pass only. Replicas that compute
/// one after the other use the same block. The pool and its blocks are freed when the last network that uses the pool
/// is destroyed. Thread-safe.
class ArenaPool {
 public:
  /// Returns the pool of this process. Creates the pool if no network uses it yet.
  static std::shared_ptr<ArenaPool> shared();

  /// Adds an unused block of `bytes` bytes to the pool. Writes to each page of the block, so that the system provides
  /// the memory now.
  void add(std::size_t bytes);
  /// Removes an unused block of at least `bytes` bytes from the pool and returns it. If there is none, returns a new
  /// block. The content of the block is undefined.
  Block take(std::size_t bytes);
  /// Gives a block that `take` has returned back to the pool.
  void give_back(Block block);

 private:
  std::mutex adding_;
  std::mutex mutex_;
  std::vector<Block> free_;
};

/// Takes a block from a pool in the constructor, and gives the block back to the pool in the destructor.
class Arena {
 public:
  Arena(ArenaPool& pool, std::size_t bytes) : pool_(pool), block_(pool.take(bytes)) {}
  ~Arena() { pool_.give_back(std::move(block_)); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* data() const { return block_.data(); }

 private:
  ArenaPool& pool_;
  Block block_;
};

}  // namespace troupe::cpu
