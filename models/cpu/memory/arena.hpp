#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe::cpu {

/// Memory of large pages, where the machine has them.
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

/// Blocks for what lives no longer than one pass through a network. Replicas that take turns take turns with them,
/// too. They go with the last network that holds the pool.
class ArenaPool {
 public:
  /// The one of this process.
  static std::shared_ptr<ArenaPool> shared();

  /// Adds a block of so many bytes, every page there.
  void add(std::size_t bytes);
  /// Lends a block of at least so many bytes, whatever it holds.
  Block take(std::size_t bytes);
  void give_back(Block block);

 private:
  std::mutex adding_;
  std::mutex mutex_;
  std::vector<Block> free_;
};

/// A block of the pool, for as long as this lives.
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
