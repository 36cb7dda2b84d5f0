#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/callbacks/begun.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/log_file.hpp"
#include "troupe/callback.hpp"
#include "troupe/json.hpp"

namespace troupe {
namespace {

/// Returns `text` as a cell according to RFC 4180. The cell is quoted if the text contains a comma, a quote or an end
/// of line.
std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char each : text) quoted.append(each == '"' ? 2 : 1, each);
  return quoted + '"';
}

/// Returns the text of the CSV cell for `value`, the value of a metric. A number is written with as many digits as are
/// needed to read the same number again, or as "nan", "inf" or "-inf". The cell for null is empty. Lists and objects
/// are written as JSON.
std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get_ref<const std::string&>());
  const double number = value.is_number_float() ? value.get<double>() : 0;
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
  return csv_cell(value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
}

/// Returns a line of a CSV file: the texts in `cells`, separated by commas, and a line end.
std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + cell;
  return line + '\n';
}

/// Returns the contents of the cells in the first line of `text`, without the quotes around cells. Returns an empty
/// list if `text` has no complete line.
/// @param length set to the length in bytes of this line, including its line end; set to 0 if there is no complete line
std::vector<std::string> first_csv_line(std::string_view text, std::size_t& length) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (length = 0; length < text.size(); ++length) {
    const char at = text[length];
    if (at == '"') {
      const bool again = !quoted && length > 0 && text[length - 1] == '"';
      if (again) cells.back() += '"';  // two quotes inside a quoted cell stand for one quote
      quoted = !quoted;
    } else if (at == ',' && !quoted) {
      cells.emplace_back();
    } else if (at == '\n' && !quoted) {
      ++length;
      return cells;
    } else {
      cells.back() += at;
    }
  }
  length = 0;
  return {};
}

/// Returns the length in bytes of the complete lines at the start of `text`. A line end inside a quoted cell is part of
/// the cell and does not end the line.
std::size_t whole_csv(std::string_view text) {
  std::size_t whole = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted) whole = i + 1;
  }
  return whole;
}

/// Returns `text`, lines of a CSV file, with `more` empty cells appended to each line.
std::string widened_csv(std::string_view text, std::size_t more) {
  std::string wide;
  bool quoted = false;
  for (const char each : text) {
    if (each == '"') quoted = !quoted;
    if (each == '\n' && !quoted) wide.append(more, ',');
    wide += each;
  }
  return wide;
}

constexpr std::ptrdiff_t kFixed = 2;  ///< number of columns before the columns of metrics

/// Returns the name of the column for `metric`. This is the name of the metric. If a fixed column ("iteration" or
/// "seconds") has the same name, the prefix "metric_" is added.
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

  /// Reads the names of the columns from the first line of an existing CSV file. Returns the length in bytes of the
  /// complete lines in `text`.
  /// @param text the contents of the file
  /// @throws Error bad_file if the first line is not a header that this callback writes
  std::size_t read_header(const std::string& text) {
    const Names cells = first_csv_line(text, header_);
    if (std::ssize(cells) < kFixed || !std::equal(columns_.begin(), columns_.end(), cells.begin()))
      throw_bad_file(path_, "cannot append to it: it does not contain reports");
    columns_ = cells;
    return whole_csv(text);
  }

  /// Ensures that the file has a header with a column for each metric in `metrics`. If the file has no header yet,
  /// writes a header. If a metric has no column, replaces the file by a file with the additional columns. If the file
  /// cannot be replaced, leaves the header unchanged.
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
  Names columns_;           ///< the names in the header
  std::size_t header_ = 0;  ///< size of the header line in bytes; 0: the header is not written yet
};

}  // namespace

std::shared_ptr<Callback> callbacks::csv(const std::string& path) { return std::make_shared<Csv>(path); }

}  // namespace troupe
