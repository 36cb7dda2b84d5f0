#include <algorithm>

#include "cli/data/show.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

std::int64_t not_finite(const std::vector<Described>& all) {
  std::int64_t count = 0;
  for (const Described& each : all) count += each.moments.not_finite();
  return count;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text.empty() ? "one number" : text;
}

std::string samples_text(const SetSummary& summary) {
  std::string all = grouped(summary.info.num_samples);
  if (summary.looked_at == summary.info.num_samples) return all;
  return all + "; the figures below are from " + grouped(summary.looked_at) + " of them, evenly over the set";
}

std::string missing_text(const SetSummary& summary) {
  constexpr std::size_t kMost = 20;
  const auto& missing = summary.info.missing;
  std::string text;
  for (std::size_t i = 0; i < std::min(missing.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + shortened(missing[i].column, 40) + " " + grouped(missing[i].fields);
  if (missing.size() > kMost) text += " and " + std::to_string(missing.size() - kMost) + " more columns";
  return text;
}

std::vector<std::string> remarks(const SetSummary& summary) {
  std::vector<std::string> all;
  if (summary.drawn)
    all.emplace_back("Random transforms are applied to the samples, as in the first epoch of training.");
  if (summary.left_out > 0) all.push_back(grouped(summary.left_out) + " samples cannot be read and are left out.");
  const DataInfo& info = summary.info;
  if (info.shape.size() == 1 && info.sample_size() > kMostColumns)
    all.push_back("Out of " + grouped(info.sample_size()) + " columns, the first " + grouped(kMostColumns) +
                  " are described.");
  if (info.num_targets > static_cast<std::int64_t>(kMostDescribedTargets))
    all.push_back("Out of " + grouped(info.num_targets) + " targets, the first " + grouped(kMostDescribedTargets) +
                  " are described.");
  if (const std::int64_t count = not_finite(summary.columns); count > 0)
    all.push_back(grouped(count) + " values are infinite or NaN and are left out.");
  return all;
}

}  // namespace troupe::cli
