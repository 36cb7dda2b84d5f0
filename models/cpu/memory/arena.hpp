#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe::cpu {

/// A block of memory, of large pages if the machine has them.
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

/// Blocks for values that live no longer than one pass through a network. Replicas that take turns share blocks. The
/// blocks are freed with the last network that holds the pool.
class ArenaPool {
 public:
  /// Returns the pool of this process.
  static std::shared_ptr<ArenaPool> shared();

  /// Adds a block of this size and touches all its pages.
  void add(std::size_t bytes);
  /// Lends a block of at least this size. Its content is undefined.
  Block take(std::size_t bytes);
  void give_back(Block block);

 private:
  std::mutex adding_;
  std::mutex mutex_;
  std::vector<Block> free_;
};

/// Holds a block of the pool during its own lifetime.
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
