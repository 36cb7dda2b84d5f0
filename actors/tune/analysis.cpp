#include "actors/tune/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <utility>

#include "actors/callbacks/better.hpp"
#include "actors/tune/search.hpp"
#include "actors/tune/trial_reports.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"
#include "runtime/text_table.hpp"

namespace troupe::tune {
namespace {

using Row = std::vector<std::string>;

void add_flattened(const std::string& before, const Json& value, std::vector<std::pair<std::string, Json>>& all) {
  for (const auto& [key, each] : value.items())
    if (each.is_object())
      add_flattened(before + key + '.', each, all);
    else
      all.emplace_back(before + key, each);
}

std::string text_of(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (!value.is_number_float()) return printable(value.dump());
  return short_text(value.get<double>(), 4);
}

Row row_of(const Trial& trial, const std::string& metric, const std::set<std::string>& keys) {
  const auto value = last_value(trial, metric);
  Row row{std::to_string(trial.number), to_string(trial.state), value ? text_of(Json(*value)) : "-",
          std::to_string(trial.reports.size()), fixed_text(trial.seconds, 1)};
  const auto values = flattened(trial.config);
  for (const std::string& key : keys) {
    const auto at = std::ranges::find(values, key, [](const auto& each) { return each.first; });
    row.push_back(at == values.end() ? "-" : text_of(at->second));
  }
  if (!trial.error.empty()) row.push_back(trial.error);
  return row;
}

}  // namespace

std::optional<double> last_value(const Trial& trial, const std::string& metric) {
  for (auto report = trial.reports.rbegin(); report != trial.reports.rend(); ++report)
    if (const auto value = metric_of(*report, metric)) return value;
  return std::nullopt;
}

std::vector<std::pair<std::string, Json>> flattened(const Json& config) {
  std::vector<std::pair<std::string, Json>> all;
  add_flattened("", config, all);
  return all;
}

Analysis::Analysis(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::vector<Trial>& Analysis::trials() const { return impl_->trials; }
bool Analysis::is_complete() const { return impl_->complete; }
const std::string& Analysis::folder() const { return impl_->folder->path(); }
std::string Analysis::folder_of(const Trial& trial) const { return impl_->folder->files(trial.number).folder; }

const std::string& Analysis::metric() const { return impl_->metric; }

std::vector<const Trial*> Analysis::ranked() const {
  std::vector<const Trial*> trials;
  for (const Trial& trial : impl_->trials) trials.push_back(&trial);
  const auto rank = [&](const Trial* trial) {
    const double value = last_value(*trial, impl_->metric).value_or(NAN);
    const bool counts = trial->state != TrialState::failed && !std::isnan(value);
    return std::pair(!counts, counts ? (impl_->better == Better::lower ? value : -value) : 0);
  };
  std::ranges::stable_sort(trials, {}, rank);
  return trials;
}

const Trial& Analysis::best() const {
  const auto trials = ranked();
  if (!trials.empty() && trials.front()->state != TrialState::failed) {
    const auto value = last_value(*trials.front(), impl_->metric);
    if (value && !std::isnan(*value)) return *trials.front();
  }
  std::set<std::string> names;
  for (const Trial& trial : impl_->trials)
    for (const Report& report : trial.reports)
      for (const auto& [name, value] : report.metrics.items()) names.insert(name);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + printable(name);
  throw Error(ErrorCode::bad_data, "every trial failed or reported no number as '" + printable(impl_->metric) +
                                       "'; reported metrics: " + (all.empty() ? "none" : all) +
                                       did_you_mean(impl_->metric, {names.begin(), names.end()}));
}

void Analysis::write_reports(const std::string& path) const {
  OutputFile file(path);
  for (const Trial& trial : impl_->trials)
    for (const Report& report : trial.reports) {
      const std::string line = "{\"trial\":" + std::to_string(trial.number) + ',' + line_of(report).substr(1) + '\n';
      file.write(std::as_bytes(std::span(line)));
    }
  file.commit();
}

std::ostream& operator<<(std::ostream& out, const Analysis& analysis) {
  std::set<std::string> keys;
  bool failed = false;
  for (const Trial& trial : analysis.trials()) {
    for (const auto& [key, value] : flattened(trial.config)) keys.insert(key);
    failed = failed || !trial.error.empty();
  }
  std::vector<Row> rows{{"trial", "state", analysis.metric(), "reports", "seconds"}};
  rows.front().insert(rows.front().end(), keys.begin(), keys.end());
  if (failed) rows.front().push_back("error");
  for (const Trial* trial : analysis.ranked()) rows.push_back(row_of(*trial, analysis.metric(), keys));
  return out << text_table(rows);
}

Analysis run(const Trainable& trainable, const Options& options) {
  check_depth(trainable.config, "a trainable's config");
  check_depth(options.space, "the space");
  Search search(trainable, options);
  search.run();
  auto impl = std::make_shared<Analysis::Impl>();
  impl->trials = search.trials();
  impl->metric = options.metric;
  impl->better = options.better;
  impl->complete = search.is_complete();
  impl->folder = search.folder();
  return Analysis(impl);
}

}  // namespace troupe::tune
