#include "actors/trainer/report_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// The maximum size in bytes of reports that wait for the reports of other ranks.
constexpr std::size_t kMostWaiting = std::size_t{256} << 20;

/// Returns `value`, the value of a metric, as a number; std::nullopt if the value is not a number. Returns NaN for
/// null, because a worker sends null in place of NaN and infinity.
std::optional<double> number_in(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_null()) return std::nan("");
  return std::nullopt;
}

/// Returns how the values of the metric `metric` are combined. If the options set nothing for the metric "epoch",
/// returns the maximum, because a mean or sum of epochs has no meaning.
Aggregate how_of(const std::string& metric, const ReportOptions& options) {
  if (const auto own = options.metrics.find(metric); own != options.metrics.end()) return own->second;
  return metric == "epoch" ? Aggregate::max : options.aggregate;
}

double combine(Aggregate how, const std::vector<double>& values) {
  double combined = how == Aggregate::max ? values.front() : 0;
  for (const double value : values) {
    if (how != Aggregate::max)
      combined += value;
    else if (value > combined || std::isnan(value))
      combined = value;
  }
  return how == Aggregate::mean ? combined / static_cast<double>(values.size()) : combined;
}

}  // namespace

ReportRows::ReportRows(ReportOptions options, int ranks)
    : options_(std::move(options)), reported_(static_cast<std::size_t>(ranks)), ended_(reported_.size()) {
  if (options_.every < 0)
    throw_invalid("reports.every is " + std::to_string(options_.every) + "; it must be at least 0");
  for (std::size_t rank = 1; options_.first_rank_only && rank < ended_.size(); ++rank) ended_[rank] = true;
}

void ReportRows::add(int rank, Json metrics, std::size_t bytes) {
  const auto at = static_cast<std::size_t>(rank);
  if (options_.first_rank_only && rank > 0) return;
  const auto number = static_cast<std::size_t>(reported_[at]++ - iteration_);
  if (number == rows_.size()) {
    rows_.push_back({std::vector<Json>(reported_.size()), 0});
    bytes += reported_.size() * sizeof(Json);
  }
  Row& row = rows_[number];
  row.metrics[at] = std::move(metrics);
  row.bytes += bytes;
  waiting_ += bytes;
  if (waiting_ > kMostWaiting && !complete(row)) throw_behind();
}

void ReportRows::throw_behind() const {
  const std::int64_t least = iteration_ + static_cast<std::int64_t>(complete_);
  std::string behind;
  for (std::size_t rank = 0; rank < reported_.size(); ++rank)
    if (!ended_[rank] && reported_[rank] <= least) behind += (behind.empty() ? "" : ", ") + std::to_string(rank);
  throw_invalid("a report combines those of all ranks, but more than 256 MiB waits for those of rank " + behind +
                ", which has made " + std::to_string(least) + "; set reports.first_rank_only if only rank 0 reports");
}

void ReportRows::end(int rank) { ended_[static_cast<std::size_t>(rank)] = true; }

bool ReportRows::complete(const Row& row) const {
  for (std::size_t rank = 0; rank < row.metrics.size(); ++rank)
    if (row.metrics[rank].is_null() && !ended_[rank]) return false;
  return true;
}

bool ReportRows::all_ended() const { return std::ranges::find(ended_, false) == ended_.end(); }

/// Returns the number of rows that the next combined report contains; 0 if this report must wait for other ranks.
std::size_t ReportRows::rows_due() {
  while (complete_ < rows_.size() && complete(rows_[complete_])) waiting_ -= rows_[complete_++].bytes;
  const auto wanted = static_cast<std::size_t>(options_.every);
  if (wanted > 0 && complete_ >= wanted) return wanted;
  return all_ended() ? complete_ : 0;
}

std::optional<Json> ReportRows::next() {
  const std::size_t rows = rows_due();
  if (rows == 0) return std::nullopt;
  Json metrics = aggregated(rows);
  complete_ -= rows;
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(rows));
  iteration_ += static_cast<std::int64_t>(rows);
  return metrics;
}

Json ReportRows::aggregated(std::size_t rows) const {
  /// The values of one metric in the rows that are combined.
  struct Metric {
    std::optional<Aggregate> how;
    std::vector<double> numbers;
    Json by_rank;  ///< the last value of each rank; set for Aggregate::all only, because the list needs memory for each
                   ///< rank
    Json first;
    bool plain = true;
    bool same = true;  ///< true if all values are equal, such as those of an epoch
  };
  std::map<std::string, Metric> metrics;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t rank = 0; rank < reported_.size(); ++rank) {
      const Json& reported = rows_[row].metrics[rank];
      if (!reported.is_object()) continue;
      for (const auto& [name, value] : reported.items()) {
        Metric& metric = metrics[name];
        if (!metric.how) {
          metric.how = how_of(name, options_);
          if (metric.how == Aggregate::all) metric.by_rank = Json::array_t(reported_.size());
          metric.first = value;
        }
        const auto number = number_in(value);
        metric.plain = metric.plain && number;
        metric.same = metric.same && value == metric.first;
        if (number) metric.numbers.push_back(*number);
        if (metric.how == Aggregate::all) metric.by_rank[rank] = value;
      }
    }
  Json all = Json::object();
  for (auto& [name, metric] : metrics) {
    const Aggregate how = *metric.how;
    if (how == Aggregate::all)
      all[name] = std::move(metric.by_rank);
    else if (how == Aggregate::first || !metric.plain ||
             (metric.same && how != Aggregate::sum && !metric.first.is_null()))
      all[name] = std::move(metric.first);
    else
      all[name] = combine(how, metric.numbers);
  }
  return all;
}

}  // namespace troupe
