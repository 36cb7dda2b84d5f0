#include <algorithm>
#include <filesystem>
#include <optional>

#include "actors/callbacks/csv_text.hpp"
#include "actors/callbacks/log_file.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"
#include "troupe/callback.hpp"

namespace troupe {
namespace {

constexpr std::size_t kFixed = 2;  ///< columns before those of metrics

class Csv : public Callback {
 public:
  explicit Csv(std::string path) : path_(std::move(path)) {}

  void on_start(const RunStart& run) override {
    if (run.attempt > 1 && file_) return;
    const bool goes_on = run.attempt > 1 || run.resumed;
    file_.emplace(path_, goes_on);
    columns_ = {"iteration", "seconds"};
    header_ = 0;
    if (goes_on && is_file()) read_header();
  }

  void on_report(const Report& report) override {
    add_columns(report.metrics);
    std::vector<std::string> cells{std::to_string(report.iteration), csv_value(report.seconds)};
    for (std::size_t i = kFixed; i < columns_.size(); ++i)
      cells.push_back(csv_value(report.metrics.value(columns_[i], Json())));
    file_->write(csv_line(cells));
  }

 private:
  bool is_file() const {
    std::error_code error;
    return std::filesystem::is_regular_file(path_, error);
  }

  void read_header() {
    const auto cells = first_csv_line(InputFile(path_).read_text(), header_);
    if (cells.empty()) return;
    if (cells.size() < kFixed || !std::equal(columns_.begin(), columns_.end(), cells.begin()))
      throw_bad_file(path_, "cannot go on in it: it holds no reports");
    columns_ = cells;
  }

  void add_columns(const Json& metrics) {
    std::vector<std::string> all = columns_;
    for (const auto& [name, value] : metrics.items())
      if (std::ranges::find(all.begin() + kFixed, all.end(), name) == all.end()) all.push_back(name);
    if (header_ > 0 && (all == columns_ || !is_file())) return;
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const std::string& each : all) names.push_back(csv_cell(each));
    const std::string header = csv_line(names);
    header_ > 0 ? widen(header, all.size() - columns_.size()) : file_->write(header);
    header_ = header.size();
    columns_ = std::move(all);
  }

  void widen(const std::string& header, std::size_t more) {
    const std::string text = header + widened_csv(InputFile(path_).read_text().substr(header_), more);
    OutputFile wide(path_);
    wide.write(std::as_bytes(std::span(text)));
    wide.commit();
    file_.emplace(path_, /*goes_on=*/true);
  }

  std::string path_;
  std::optional<LogFile> file_;
  std::vector<std::string> columns_;
  std::size_t header_ = 0;  ///< bytes of the first line; 0: there is none yet
};

}  // namespace

std::shared_ptr<Callback> callbacks::csv(const std::string& path) { return std::make_shared<Csv>(path); }

}  // namespace troupe
