#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/model.hpp"

// Measurements of an evaluation in addition to the loss and the number of correct samples. They are too long for a
// message. Therefore a worker writes them into a text of 64-bit numbers, which the driver then fetches. First comes the
// confusion matrix of all shards of the worker together. Then follow for each shard: the number of top-k correct
// samples, the sums of the metrics, and four numbers per target.
namespace troupe {

/// The largest number of samples of a shard in an evaluation. With this limit, the sum over all shards cannot overflow.
inline constexpr std::int64_t kMostMeasuredSamples = std::int64_t{1} << 40;

/// Describes which measurements a text contains, and how many of each. The shape determines the length of the text.
struct MeasureShape {
  std::int64_t classes = 0;  ///< the number of classes of the confusion matrix; 0: there is no confusion matrix
  std::int64_t targets = 0;  ///< the number of targets for which errors are measured; 0: none
  std::int64_t metrics = 0;
  bool top_k = false;

  bool operator==(const MeasureShape&) const = default;
  bool any() const { return *this != MeasureShape(); }
  /// Returns the size in bytes of a text with the measurements of `shards` shards. The result does not overflow if all
  /// counts are within their limits.
  std::size_t bytes(std::size_t shards) const;
};

struct Measures {
  std::vector<std::int64_t> confusion = {};  ///< the confusion matrix of all shards
  /// The results by shard, without confusion matrices. In the result of a shard without samples, measurements may be
  /// missing that other shards have.
  std::vector<EvaluationResult> shards = {};
};

/// Returns the shape of `measures`.
/// @param metrics the number of the model's metrics
/// @throws Error model_failed if shards with samples have different measurements
MeasureShape shape_of(const Measures& measures, std::size_t metrics);

/// Returns whether the confusion matrix counts exactly `samples` samples, with no negative count.
bool counts_each_once(std::span<const std::int64_t> confusion, std::int64_t samples);

/// Checks that the numbers in `measures` are possible.
/// @throws Error with the code `code` if a count is negative, a sum is not finite, or a sum of squares is negative;
/// also if the confusion matrix does not count each sample once
void check_measures(const Measures& measures, ErrorCode code, const Where& where);

/// Returns the text that contains `measures`; its format is described at the start of this file.
std::string to_text(const MeasureShape& shape, const Measures& measures);
/// Returns the measurements that `text` contains, a text that `to_text` has returned.
/// @param samples the number of samples of each shard
/// @param text a text of exactly shape.bytes(samples.size()) bytes
Measures measures_from_text(const MeasureShape& shape, std::span<const std::int64_t> samples, const std::string& text);

}  // namespace troupe
