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

/// Batches of a source that are filled before they are asked for, in threads that all of a process share, one a core.
/// A batch is cut into pieces, which several fill at once; who waits for one helps. They lie in memory that devices may
/// copy from by themselves, and that is used again. For use by one thread. In a child made by fork nothing is expected.
class ReadAhead final : public BatchesAhead {
 public:
  /// What a batch is asked for by.
  struct Key {
    int shard = 0;
    int num_shards = 1;
    std::int64_t number = 0;  ///< of the batch
    std::uint64_t seed = 0;

    bool operator==(const Key&) const = default;
  };

  /// @param most_bytes that expected batches may take
  ReadAhead(std::shared_ptr<const DataSource> from, std::size_t most_bytes);
  /// Waits for what is being filled.
  ~ReadAhead() override;

  /// Whether it is there, or on its way.
  bool expects(const Key& key);
  /// Has it filled, since it will be taken next.
  void need(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Has it filled, unless there is no room.
  void expect(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Waits for a batch that is expected, else it is empty. It is valid until the next one is taken.
  /// @throws what DataSource::fill does
  Batch take(const Key& key);
  /// The expected batch of the least number, and of several the one that has been expected longest.
  Batch peek() const override;
  /// What is expected of a shard will not be asked for.
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
