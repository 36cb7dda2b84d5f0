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

/// Fills batches of a data source in advance, on threads that the whole process shares, one for each core. A batch is
/// called expected from the call that starts to fill it until the caller takes it. Several threads fill a batch at the
/// same time, each a piece; a caller that waits for the batch also fills pieces. The memory of batches is reused, and
/// accelerators may copy from it directly. Not thread-safe. After a fork, the object in the child process has no
/// expected batches.
class ReadAhead final : public BatchesAhead {
 public:
  /// The identity of a batch.
  struct Key {
    int shard = 0;
    int num_shards = 1;
    std::int64_t number = 0;  ///< the step for which the batch is; in an evaluation, the index of the batch
    std::uint64_t seed = 0;

    bool operator==(const Key&) const = default;
  };

  /// @param from the data source
  /// @param most_bytes the limit for `expect`: the maximum size in bytes of all expected batches together
  ReadAhead(std::shared_ptr<const DataSource> from, std::size_t most_bytes);
  /// Stops filling all expected batches. Blocks until no thread fills any of them.
  ~ReadAhead() override;

  /// Returns whether the batch `key` is expected: whether it is filled or being filled, and has not been taken.
  bool expects(const Key& key);
  /// Starts to fill the batch `key`, whatever its size, because the caller will take it next. Does nothing if the batch
  /// is already expected, or if it has no samples.
  /// @param samples the numbers of the samples of the batch
  /// @param drawn see BatchRequest::drawn
  void need(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Does the same as `need`, but only if all expected batches, including this one, together have at most `most_bytes`
  /// bytes.
  void expect(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Blocks until the expected batch `key` is filled, and returns it. The batch is then no longer expected, and stays
  /// valid until the next call of `take`. If the batch is not expected, returns an empty batch without blocking.
  /// @throws the exceptions of DataSource::fill
  Batch take(const Key& key);
  /// Looks at the expected batch with the smallest Key::number; if several have this number, at the one that has been
  /// expected longest. Returns this batch without taking it. Returns an empty batch if the batch is not filled yet, or
  /// if samples of the data may be unreadable (DataInfo::lacks).
  Batch peek() const override;
  /// Drops the expected batches of the shard `shard`. Blocks until no thread fills any of them.
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
