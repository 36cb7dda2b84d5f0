#include <algorithm>
#include <optional>

#include "actors/callbacks/begun.hpp"
#include "actors/callbacks/csv_text.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/log_file.hpp"
#include "troupe/callback.hpp"

namespace troupe {
namespace {

constexpr std::ptrdiff_t kFixed = 2;  ///< columns before those of metrics

/// Of a metric, which may be named as a column before those of metrics.
std::string column_of(const std::string& metric) {
  return metric == "iteration" || metric == "seconds" ? "metric_" + metric : metric;
}

class Csv : public Callback {
 public:
  explicit Csv(std::string path) : path_(std::move(path)) {}

  void on_start(const RunStart& run) override {
    if (run.attempt > 1 && file_) return;
    columns_ = {"iteration", "seconds"};
    header_ = 0;
    file_.emplace(path_, run.attempt > 1 || run.resumed, [&](const std::string& text) { return read_header(text); });
  }

  void on_report(const Report& report) override {
    add_columns(report.metrics);
    std::vector<std::string> cells(columns_.size());
    cells[0] = std::to_string(report.iteration);
    cells[1] = csv_value(report.seconds);
    for (const auto& [name, value] : report.metrics.items())
      if (const auto column = find(columns_, column_of(name)); column != columns_.end())
        cells[static_cast<std::size_t>(column - columns_.begin())] = csv_value(value);
    file_->write(csv_line(cells));
  }

 private:
  using Names = std::vector<std::string>;

  static Names::iterator find(Names& columns, const std::string& name) {
    return std::find(columns.begin() + kFixed, columns.end(), name);
  }

  /// Returns how many bytes are whole rows.
  std::size_t read_header(const std::string& text) {
    const Names cells = first_csv_line(text, header_);
    if (std::ssize(cells) < kFixed || !std::equal(columns_.begin(), columns_.end(), cells.begin()))
      throw_bad_file(path_, "cannot go on in it: it holds no reports");
    columns_ = cells;
    return whole_csv(text);
  }

  void add_columns(const Json& metrics) {
    LogFile& file = begun(file_);
    Names all = columns_;
    for (const auto& [name, value] : metrics.items())
      if (find(all, column_of(name)) == all.end()) all.push_back(column_of(name));
    if (header_ > 0 && (all == columns_ || !file.is_replaceable())) return;
    Names names;
    names.reserve(all.size());
    for (const std::string& each : all) names.push_back(csv_cell(each));
    const std::string header = csv_line(names);
    if (header_ > 0)
      file.replace(header + widened_csv(file.text().substr(header_), all.size() - columns_.size()));
    else
      file.write(header);
    header_ = header.size();
    columns_ = std::move(all);
  }

  std::string path_;
  std::optional<LogFile> file_;
  Names columns_;           ///< as the header names them
  std::size_t header_ = 0;  ///< bytes of the first line; 0: there is none yet
};

}  // namespace

std::shared_ptr<Callback> callbacks::csv(const std::string& path) { return std::make_shared<Csv>(path); }

}  // namespace troupe
