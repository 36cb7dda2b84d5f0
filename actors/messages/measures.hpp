#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/model.hpp"

// Measurements of an evaluation in addition to the loss and the number of correct samples. They are too long for a
// message. Therefore the worker writes them as a text of 64-bit words, which the driver fetches. First comes the
// confusion matrix of all of the worker's shards together. Then follow, for each shard, the number of top-k correct
// samples, the metrics' sums, and four numbers per target.
namespace troupe {

/// The largest number of samples of a shard. With this limit, the sum over all shards cannot overflow.
inline constexpr std::int64_t kMostMeasuredSamples = std::int64_t{1} << 40;

/// The kinds of measurements and their numbers. They determine the length of the text.
struct MeasureShape {
  std::int64_t classes = 0;  ///< the number of classes of the confusion matrix; 0: there is none
  std::int64_t targets = 0;  ///< the number of targets with errors; 0: there are none
  std::int64_t metrics = 0;
  bool top_k = false;

  bool operator==(const MeasureShape&) const = default;
  bool any() const { return *this != MeasureShape(); }
  /// Returns the size of the text in bytes, for `shards` shards. Does not overflow if all counts are within their
  /// limits.
  std::size_t bytes(std::size_t shards) const;
};

struct Measures {
  std::vector<std::int64_t> confusion = {};  ///< the confusion matrix of all shards
  /// The results by shard, without confusion matrices. Shards without samples may lack measurements that other shards
  /// have.
  std::vector<EvaluationResult> shards = {};
};

/// Returns the shape of these measurements.
/// @param metrics the number of the model's metrics
/// @throws Error model_failed if shards with samples have different measurements
MeasureShape shape_of(const Measures& measures, std::size_t metrics);

/// Returns whether the confusion matrix counts exactly `samples` samples, with no negative count.
bool counts_each_once(std::span<const std::int64_t> confusion, std::int64_t samples);

/// @throws Error with the code `code` if numbers are impossible: negative counts, a confusion matrix that does not
/// count each sample once, sums that are not finite, or negative sums of squares
void check_measures(const Measures& measures, ErrorCode code, const Where& where);

/// Returns the measurements as a text; see the start of this file.
std::string to_text(const MeasureShape& shape, const Measures& measures);
/// Returns the measurements that `to_text` has written into `text`.
/// @param samples the number of samples of each shard
/// @param text a text of exactly shape.bytes(samples.size()) bytes
Measures measures_from_text(const MeasureShape& shape, std::span<const std::int64_t> samples, const std::string& text);

}  // namespace troupe
