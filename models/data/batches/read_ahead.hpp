#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/data/batches/batch_memory.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Fills batches of a source in advance, in threads that the whole process shares, one per core. A batch is cut into
/// pieces that several threads fill at once; a caller that waits for a batch helps. The batches are in memory that
/// devices may copy from directly, and that is reused. Not thread-safe. After a fork, the child has no expected
/// batches.
class ReadAhead final : public BatchesAhead {
 public:
  /// Identifies a batch.
  struct Key {
    int shard = 0;
    int num_shards = 1;
    std::int64_t number = 0;  ///< number of the batch
    std::uint64_t seed = 0;

    bool operator==(const Key&) const = default;
  };

  /// @param most_bytes the largest size of all expected batches
  ReadAhead(std::shared_ptr<const DataSource> from, std::size_t most_bytes);
  /// Blocks until batches that are being filled are complete.
  ~ReadAhead() override;

  /// True if the batch is filled or being filled.
  bool expects(const Key& key);
  /// Starts filling the batch that will be taken next.
  void need(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Starts filling a batch, if there is enough memory.
  void expect(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Blocks until an expected batch is filled and returns it; returns an empty batch if it is not expected. The batch
  /// is valid until the next call.
  /// @throws the exceptions of DataSource::fill
  Batch take(const Key& key);
  /// Returns the expected batch with the smallest number; if there are several, the one that has been expected longest.
  Batch peek() const override;
  /// Drops the expected batches of a shard.
  void forget(int shard);

 private:
  class Slot;

  void give_back(Slot& slot);
  void begin_anew_after_fork();

  OwningProcess owner_;
  std::shared_ptr<const DataSource> from_;
  std::size_t most_bytes_;
  std::vector<std::shared_ptr<Slot>> expected_;
  std::shared_ptr<Slot> taken_;
  std::vector<BatchMemory> spares_;
};

}  // namespace troupe
