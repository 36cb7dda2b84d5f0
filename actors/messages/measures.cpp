#include "actors/messages/measures.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::size_t kWordsOfTarget = 4;

class WordWriter {
 public:
  explicit WordWriter(std::size_t bytes) { text_.reserve(bytes); }

  void put(std::int64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  void put(double number) { put(std::bit_cast<std::int64_t>(number)); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class WordReader {
 public:
  explicit WordReader(const std::string& text) : text_(text) {}

  std::int64_t whole() {
    std::int64_t number = 0;
    std::memcpy(&number, text_.data() + at_, sizeof(number));
    at_ += sizeof(number);
    return number;
  }
  double real() { return std::bit_cast<double>(whole()); }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

bool is_sum_of_squares(double sum) { return std::isfinite(sum) && sum >= 0; }

bool makes_sense(const TargetSums& sums) {
  return is_sum_of_squares(sums.squared_error) && is_sum_of_squares(sums.absolute_error) && std::isfinite(sums.mean) &&
         is_sum_of_squares(sums.deviation);
}

/// Returns a text that describes an impossible number in the results of a shard; null if all numbers are possible.
const char* problem_of(const EvaluationResult& shard) {
  if (shard.samples < 0 || shard.samples > kMostMeasuredSamples) return "the number of samples is out of range";
  if (shard.top_k_correct && (*shard.top_k_correct < 0 || *shard.top_k_correct > shard.samples))
    return "the number of top-k correct samples is out of range";
  for (const TargetSums& sums : shard.targets)
    if (!makes_sense(sums)) return "the errors of a target are negative or not finite";
  for (const double sum : shard.metric_sums)
    if (!std::isfinite(sum)) return "a metric is not finite";
  return nullptr;
}

void check_alike(bool alike, const char* what) {
  if (!alike)
    throw Error(ErrorCode::model_failed, std::string("an evaluation returns ") + what +
                                             " for some shards, but none or a different number for others");
}

}  // namespace

std::size_t MeasureShape::bytes(std::size_t shards) const {
  const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
  const std::size_t of_shard = size(metrics) + (top_k ? 1 : 0) + kWordsOfTarget * size(targets);
  return (size(classes) * size(classes) + shards * of_shard) * sizeof(std::int64_t);
}

bool counts_each_once(std::span<const std::int64_t> confusion, std::int64_t samples) {
  for (const std::int64_t count : confusion) {
    if (count < 0 || count > samples) return false;
    samples -= count;
  }
  return samples == 0;
}

MeasureShape shape_of(const Measures& measures, std::size_t metrics) {
  MeasureShape shape{.metrics = static_cast<std::int64_t>(metrics)};
  const auto side = std::llround(std::sqrt(static_cast<double>(measures.confusion.size())));
  if (side * side != std::ssize(measures.confusion))
    throw Error(ErrorCode::model_failed, "the confusion matrix of an evaluation is not square");
  shape.classes = side;
  bool first = true;
  for (const EvaluationResult& shard : measures.shards) {
    if (shard.samples == 0) continue;
    if (first) shape.targets = std::ssize(shard.targets);
    if (first) shape.top_k = shard.top_k_correct.has_value();
    first = false;
    check_alike(std::ssize(shard.targets) == shape.targets, "errors");
    check_alike(shard.top_k_correct.has_value() == shape.top_k, "top-k counts");
    check_alike(shard.metric_sums.size() == metrics, "a sum for each of ModelInfo::metrics");
  }
  return shape;
}

void check_measures(const Measures& measures, ErrorCode code, const Where& where) {
  const auto refuse = [&](const std::string& what) { throw Error(code, "invalid evaluation: " + what, where); };
  std::int64_t samples = 0;
  for (const EvaluationResult& shard : measures.shards) {
    if (const char* const what = problem_of(shard)) refuse(what);
    samples += shard.samples;
  }
  if (!measures.confusion.empty() && !counts_each_once(measures.confusion, samples))
    refuse("its confusion matrix does not count each of " + std::to_string(samples) + " samples once");
}

std::string to_text(const MeasureShape& shape, const Measures& measures) {
  WordWriter words(shape.bytes(measures.shards.size()));
  for (const std::int64_t count : measures.confusion) words.put(count);
  for (const EvaluationResult& shard : measures.shards) {
    if (shape.top_k) words.put(shard.top_k_correct.value_or(0));
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.metrics); ++i)
      words.put(i < shard.metric_sums.size() ? shard.metric_sums[i] : 0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.targets); ++i) {
      const TargetSums sums = i < shard.targets.size() ? shard.targets[i] : TargetSums();
      for (const double each : {sums.squared_error, sums.absolute_error, sums.mean, sums.deviation}) words.put(each);
    }
  }
  return words.take();
}

Measures measures_from_text(const MeasureShape& shape, std::span<const std::int64_t> samples, const std::string& text) {
  if (text.size() != shape.bytes(samples.size()))
    throw Error(ErrorCode::protocol,
                "the measurements of shards have the wrong size: " + std::to_string(text.size()) + " bytes");
  WordReader words(text);
  Measures measures;
  measures.confusion.resize(static_cast<std::size_t>(shape.classes * shape.classes));
  for (std::int64_t& count : measures.confusion) count = words.whole();
  for (const std::int64_t each : samples) {
    EvaluationResult& shard = measures.shards.emplace_back();
    shard.samples = each;
    if (shape.top_k) shard.top_k_correct = words.whole();
    shard.metric_sums.resize(static_cast<std::size_t>(shape.metrics));
    for (double& sum : shard.metric_sums) sum = words.real();
    shard.targets.resize(static_cast<std::size_t>(shape.targets));
    for (TargetSums& sums : shard.targets)
      for (double* const number : {&sums.squared_error, &sums.absolute_error, &sums.mean, &sums.deviation})
        *number = words.real();
  }
  return measures;
}

}  // namespace troupe
