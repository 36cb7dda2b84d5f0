#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/model.hpp"

// What a worker's shards measure in an evaluation beside loss and hits. It is too long for a message: it becomes a text
// of 64-bit words that the driver fetches, first the confusion matrix of all shards together, then shard by shard
// whether samples' classes are among the largest outputs, the metrics' sums, and four numbers a target.
namespace troupe {

/// Of a shard, so that all add up.
inline constexpr std::int64_t kMostMeasuredSamples = std::int64_t{1} << 40;

/// How many words there are.
struct MeasureShape {
  std::int64_t classes = 0;  ///< 0: no confusion matrix
  std::int64_t targets = 0;  ///< 0: no errors
  std::int64_t metrics = 0;
  bool top_k = false;

  bool operator==(const MeasureShape&) const = default;
  bool any() const { return *this != MeasureShape(); }
  /// In bytes, of so many shards; so long as no number in it is more than it may be, it does not overflow.
  std::size_t bytes(std::size_t shards) const;
};

struct Measures {
  std::vector<std::int64_t> confusion = {};  ///< of all shards
  /// Without it. Shards without samples may lack what others have.
  std::vector<EvaluationResult> shards = {};
};

/// @throws Error model_failed where shards with samples differ in what they have. @param metrics that the model says
MeasureShape shape_of(const Measures& measures, std::size_t metrics);

/// Whether a confusion matrix counts so many samples, each once; none of them is negative then.
bool counts_each_once(std::span<const std::int64_t> confusion, std::int64_t samples);

/// @throws Error of that code for counts that are negative or not one a sample, and sums that no samples have: not
/// finite, or negative squares.
void check_measures(const Measures& measures, ErrorCode code, const Where& where);

std::string to_text(const MeasureShape& shape, const Measures& measures);
/// @param text shape.bytes(samples.size()) long
/// @param samples of each shard
Measures measures_from_text(const MeasureShape& shape, std::span<const std::int64_t> samples, const std::string& text);

}  // namespace troupe
