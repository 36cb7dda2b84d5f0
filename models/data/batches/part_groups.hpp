#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/data/batches/stretches.hpp"
#include "runtime/random.hpp"
#include "troupe/batches.hpp"

namespace troupe {

/// Consecutive parts of a shard, in the order of an epoch, whose samples are shuffled together.
struct PartGroup {
  std::span<const Stretch> parts;
  std::int64_t samples = 0;  ///< number of the samples of all parts together
};

/// Returns the generator of random numbers for the order of a shard's samples in an epoch.
Random order_random(int shard, std::int64_t epoch, std::uint64_t seed);
/// Brings the parts of a shard into the order of an epoch.
/// @param random a fresh result of `order_random`
void shuffle_parts(std::vector<Stretch>& parts, Random& random);
/// Divides the parts into groups. A group ends as soon as it has `window` samples or `most_parts` parts, whichever is
/// first.
/// @param most_parts 0: no limit
std::vector<PartGroup> part_groups(std::span<const Stretch> parts, std::int64_t window, std::int64_t most_parts);

/// Announces the part of a sample and those after it (DataSource::prefetch), and that parts before it were used, for a
/// caller that reads samples in order. Does nothing if the data has no parts.
/// @param parts the parts from which the caller reads, in order
void announce_from(const DataSource& data, std::span<const Stretch> parts, std::int64_t sample);
/// Returns the parts for `announce_from` of a caller that reads all samples.
std::vector<Stretch> all_parts(const DataSource& data);

/// The default value of `window`.
inline constexpr std::int64_t kShuffledTogether = 4096;

/// Announces to a data source which parts a shard reads next (DataSource::prefetch): those of the group to which the
/// samples of a step belong, and those of the group after it. Not thread-safe.
class PartsAhead {
 public:
  /// @param batch_size the number of samples for each shard and step
  PartsAhead(std::shared_ptr<const DataSource> data, std::int64_t batch_size);

  /// Announces the parts for the training step `at`, and that the parts of an earlier group were used. Does nothing if
  /// the data has no parts.
  /// @param steps the number of steps of an epoch
  void announce(const ShardStep& at, std::int64_t steps);

 private:
  /// The parts of a shard in the order of an epoch.
  struct Epoch {
    int shard = 0;
    int num_shards = 0;
    std::int64_t number = 0;
    std::uint64_t seed = 0;
    std::vector<Stretch> parts = {};
    std::vector<PartGroup> groups = {};
  };

  /// The samples that were announced last for a shard: one of each part.
  struct Announced {
    int shard = 0;
    std::vector<std::int64_t> samples = {};
  };

  const Epoch& epoch(const ShardStep& at, std::int64_t number);
  void announce(int shard, std::vector<std::int64_t> coming);

  std::shared_ptr<const DataSource> data_;
  std::int64_t batch_size_;
  std::vector<std::unique_ptr<Epoch>> epochs_;  ///< for each shard the present one and perhaps the next one
  std::vector<Announced> announced_;            ///< one for each shard
};

}  // namespace troupe
