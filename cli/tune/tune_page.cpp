#include "cli/tune/tune_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "actors/tune/analysis.hpp"
#include "cli/html/charts.hpp"
#include "cli/html/tables.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
/// Maximum number of lines in a line chart. A chart with more lines would not be readable.
constexpr std::size_t kMostCurves = 40;
/// Maximum number of axes of a parallel chart.
constexpr std::size_t kMostAxes = 12;

using Trials = std::vector<const tune::Trial*>;
using Values = std::map<std::string, Json>;

Values values_of(const tune::Trial& trial) {
  const auto flat = tune::flattened(trial.config);
  return {flat.begin(), flat.end()};
}

std::set<std::string> keys_of(const Trials& trials) {
  std::set<std::string> keys;
  for (const tune::Trial* trial : trials)
    for (const auto& [key, value] : values_of(*trial)) keys.insert(key);
  return keys;
}

std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? short_number(value.get<double>()) : value.dump();
}

Json value_at(const tune::Trial& trial, const std::string& key) {
  const Values values = values_of(trial);
  const auto at = values.find(key);
  return at == values.end() ? Json() : at->second;
}

/// Makes an axis of a parallel chart. If the numbers have very different magnitudes, the axis is logarithmic.
/// @param numbers one number per row of the chart
ParallelAxis axis_of_numbers(const std::string& name, const std::vector<double>& numbers) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const double number : numbers)
    if (std::isfinite(number)) least = std::min(least, number), most = std::max(most, number);
  ParallelAxis axis{name, {}, {}};
  const bool logarithms = least > 0 && most > 50 * least;
  const auto scaled = [&](double number) { return logarithms ? std::log(number) : number; };
  const double room = scaled(most) - scaled(least);
  for (const double number : numbers)
    axis.heights.push_back(!std::isfinite(number) ? kNothing
                           : room > 0             ? (scaled(number) - scaled(least)) / room
                                                  : 0.5);
  if (!(least <= most)) return axis;
  if (room <= 0) return {name, {{0.5, short_number(least)}}, std::move(axis.heights)};
  for (int i = 0; i <= 4; ++i) {
    const double at = scaled(least) + room * i / 4;
    axis.ticks.emplace_back(i / 4.0, short_number(logarithms ? std::exp(at) : at));
  }
  return axis;
}

ParallelAxis axis_of_texts(const std::string& name, const std::vector<Json>& values) {
  std::set<std::string> texts;
  for (const Json& value : values)
    if (!value.is_null()) texts.insert(shown(value));
  ParallelAxis axis{name, {}, {}};
  std::map<std::string, double> heights;
  for (const std::string& text : texts) {
    const double height =
        texts.size() > 1 ? static_cast<double>(heights.size()) / static_cast<double>(texts.size() - 1) : 0.5;
    heights[text] = height;
    axis.ticks.emplace_back(height, text);
  }
  for (const Json& value : values) axis.heights.push_back(value.is_null() ? kNothing : heights[shown(value)]);
  return axis;
}

ParallelAxis axis_of(const std::string& key, const Trials& trials) {
  std::vector<Json> values;
  values.reserve(trials.size());
  for (const tune::Trial* trial : trials) values.push_back(value_at(*trial, key));
  const bool numbers = std::ranges::all_of(values, [](const Json& each) { return each.is_number() || each.is_null(); });
  if (!numbers) return axis_of_texts(key, values);
  std::vector<double> heights;
  heights.reserve(values.size());
  for (const Json& value : values) heights.push_back(value.is_number() ? value.get<double>() : kNothing);
  return axis_of_numbers(key, heights);
}

std::string name_of(const tune::Trial& trial, const std::string& metric) {
  std::string name = "trial " + std::to_string(trial.number) + ": " + metric + " " +
                     short_number(tune::last_value(trial, metric).value_or(kNothing));
  for (const auto& [key, value] : values_of(trial)) name += ", " + key + " " + shown(value);
  return name;
}

/// Adds a parallel chart of the trials' values and results to the page. @param trials all trials, the best trial first
void add_parallel(Page& page, const Trials& trials, const tune::Options& search) {
  Trials worst_first(trials.rbegin(), trials.rend());
  std::vector<ParallelAxis> axes;
  for (const std::string& key : keys_of(trials))
    if (axes.size() < kMostAxes) axes.push_back(axis_of(key, worst_first));
  std::vector<double> found;
  std::vector<ParallelRow> rows;
  for (std::size_t i = 0; i < worst_first.size(); ++i) {
    found.push_back(tune::last_value(*worst_first[i], search.metric).value_or(kNothing));
    const double share = static_cast<double>(i + 1) / static_cast<double>(worst_first.size());
    const bool best = i + 1 == worst_first.size();
    rows.push_back({name_of(*worst_first[i], search.metric), best ? 1u : 0u, best ? 1 : 0.15 + 0.6 * share});
  }
  axes.push_back(axis_of_numbers(search.metric, found));
  page.add(parallel_chart("Values and results", axes, rows));
}

void add_curves(Page& page, const Trials& trials, const tune::Options& search) {
  std::vector<PlottedLine> lines;
  for (const tune::Trial* trial : trials) {
    if (lines.size() == kMostCurves) break;
    PlottedLine line{"trial " + std::to_string(trial->number), {}, true};
    for (const Report& report : trial->reports)
      if (report.metrics.contains(search.metric) && report.metrics[search.metric].is_number())
        line.points.emplace_back(static_cast<double>(report.iteration), report.metrics[search.metric].get<double>());
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  if (!lines.empty()) page.add(line_chart({search.metric + " of each report", "report", search.metric}, lines));
}

void add_table(Page& page, const Trials& trials, const tune::Options& search) {
  const auto keys = keys_of(trials);
  std::vector<std::string> headings{"trial", "state", search.metric, "reports", "seconds"};
  headings.insert(headings.end(), keys.begin(), keys.end());
  headings.emplace_back("error");
  std::vector<std::vector<std::string>> rows;
  for (const tune::Trial* trial : trials) {
    const auto value = tune::last_value(*trial, search.metric);
    std::vector<std::string> row{std::to_string(trial->number), to_string(trial->state),
                                 value ? short_number(*value) : "-", std::to_string(trial->reports.size()),
                                 short_number(trial->seconds)};
    for (const std::string& key : keys) row.push_back(shown(value_at(*trial, key)));
    row.push_back(trial->error);
    rows.push_back(std::move(row));
  }
  page.add(table(headings, rows));
}

}  // namespace

Page tune_page(const tune::Analysis& analysis, const tune::Options& search) {
  const Trials trials = analysis.ranked();
  Page page("Search for " + std::string(search.better == Better::lower ? "low " : "high ") + search.metric,
            std::to_string(trials.size()) + " trials" + (analysis.is_complete() ? "" : "; the search is not finished"));
  if (trials.empty()) return page;
  page.section("Trials", "The best first.");
  add_table(page, trials, search);
  page.section("Values", "One line per trial, fainter for worse trials; the best one has another colour.");
  add_parallel(page, trials, search);
  page.section("Reports");
  add_curves(page, trials, search);
  return page;
}

}  // namespace troupe::cli
