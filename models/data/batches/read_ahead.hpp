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

/// Fills batches of a source in advance. A batch is expected from the moment when its filling starts until it is taken.
/// Batches are filled by threads that the whole process shares, one per core. A batch is cut into pieces, which several
/// threads fill at the same time; a caller that waits for the batch fills pieces, too. The memory of batches is reused,
/// and devices may copy from it directly. Not thread-safe. After a fork, the child process has no expected batches.
class ReadAhead final : public BatchesAhead {
 public:
  /// Identifies a batch.
  struct Key {
    int shard = 0;
    int num_shards = 1;
    std::int64_t number = 0;  ///< the step; in an evaluation, the index of the batch
    std::uint64_t seed = 0;

    bool operator==(const Key&) const = default;
  };

  /// @param most_bytes the maximum size in bytes of all expected batches together, for `expect`
  ReadAhead(std::shared_ptr<const DataSource> from, std::size_t most_bytes);
  /// Stops filling batches. Blocks until no thread fills them any more.
  ~ReadAhead() override;

  /// Returns whether the batch is expected: it is filled or being filled, and has not been taken.
  bool expects(const Key& key);
  /// Starts to fill a batch that the caller will take next, whatever its size. Does nothing if the batch is already
  /// expected, or if it has no samples.
  /// @param samples the numbers of the samples
  /// @param drawn see BatchRequest::drawn
  void need(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Does the same as `need`, but only if all expected batches together then take at most `most_bytes` bytes.
  void expect(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Blocks until an expected batch is filled, and returns it. The batch is then no longer expected. It is valid until
  /// the next call of `take`. Returns an empty batch at once if the batch is not expected.
  /// @throws the exceptions of DataSource::fill
  Batch take(const Key& key);
  /// Returns the expected batch with the smallest number. If several have this number, returns the one that has been
  /// expected longest. Returns an empty batch if it is not filled, or may lack samples (DataInfo::lacks).
  Batch peek() const override;
  /// Drops the expected batches of a shard. Blocks until no thread fills them any more.
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
