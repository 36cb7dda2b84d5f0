#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "cli/data/show.hpp"
#include "cli/html/text.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

constexpr std::size_t kMostPrintedColumns = 40;
constexpr std::size_t kMostPrintedClasses = 30;
constexpr std::size_t kMostPrintedCorrelations = 12;
constexpr std::size_t kNameLetters = 24;

std::size_t letters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U; }));
}

std::string filled(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, letters_in(text)), ' ');
  return right ? blanks + text : text + blanks;
}

/// Formats `rows` as a table: returns a text with one line per row. The first and the last column are aligned to the
/// left, the other columns to the right. Columns are separated by two spaces.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters_in(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += " " + filled(row[i], widths[i], i > 0 && i + 1 < row.size()) + (i + 1 < row.size() ? " " : "");
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// Draws a histogram as one line of text, and returns the line. Each part of the range is a block character whose
/// height shows the count of the part.
std::string small_histogram(const Histogram& histogram) {
  constexpr std::array kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::int64_t most = std::max<std::int64_t>(1, std::ranges::max(histogram.counts));
  std::string text;
  for (const std::int64_t count : histogram.counts) {
    const double part = static_cast<double>(count) / static_cast<double>(most);
    text += count == 0 ? " " : kHeights[std::min<std::size_t>(7, static_cast<std::size_t>(part * 8))];
  }
  return text;
}

/// Returns a horizontal bar of block characters for `count`. Its length is proportional to the count; for the count
/// `most`, it is 40 characters. The resolution is an eighth of a character.
std::string bar_of(std::int64_t count, std::int64_t most) {
  constexpr std::array kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  constexpr double kLongest = 40;
  const double length = static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, most)) * kLongest;
  const auto eighths = static_cast<std::size_t>(std::lround(length * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

std::string name_of(const std::string& text) { return shortened(printable(text), kNameLetters); }

std::string correlation_text(double number) {
  if (!std::isfinite(number)) return "–";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", std::round(number * 100) / 100 + 0.0);
  return text.data();
}

std::vector<std::string> row_of(const SetSummary& summary, const Described& each, std::size_t column) {
  const Moments& m = each.moments;
  std::vector<std::string> row{name_of(each.name), short_number(m.least()), short_number(m.mean()),
                               short_number(m.deviation()), short_number(m.most())};
  const bool is_column = column < summary.with_targets.rows();
  if (summary.with_targets.columns() > 0)
    row.push_back(is_column ? correlation_text(summary.with_targets.of(column, 0)) : "");
  row.push_back(small_histogram(each.histogram));
  return row;
}

std::string table_of_columns(const SetSummary& summary) {
  std::vector<std::vector<std::string>> rows{{"", "min", "mean", "deviation", "max"}};
  if (summary.with_targets.columns() > 0) rows.front().push_back("with " + name_of(summary.targets.front().name));
  rows.front().emplace_back("histogram");
  const std::size_t shown = std::min(summary.columns.size(), kMostPrintedColumns);
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(row_of(summary, summary.columns[i], i));
  for (const Described& target : summary.targets) {
    rows.push_back(row_of(summary, target, summary.columns.size()));
    rows.back().front() += " (target)";
  }
  std::string text = aligned(rows);
  if (shown < summary.columns.size())
    text += "  ... and " + std::to_string(summary.columns.size() - shown) + " more columns\n";
  return text;
}

std::string table_of_classes(const SetSummary& summary) {
  const auto& counts = summary.class_counts;
  const std::int64_t most = std::ranges::max(counts);
  std::vector<std::vector<std::string>> rows{{"class", "samples", ""}};
  const std::size_t shown = std::min(counts.size(), kMostPrintedClasses);
  for (std::size_t i = 0; i < shown; ++i)
    rows.push_back({name_of(class_text(summary.info, i)), grouped(counts[i]), bar_of(counts[i], most)});
  std::string text = aligned(rows);
  if (shown < counts.size()) {
    const auto [least, largest] = std::minmax_element(counts.begin() + kMostPrintedClasses, counts.end());
    text += "  ... and " + std::to_string(counts.size() - shown) + " more classes, with " + grouped(*least) + " to " +
            grouped(*largest) + " samples\n";
  }
  return text;
}

std::string table_of_target(const Described& target) {
  const Histogram& histogram = target.histogram;
  const std::int64_t most = std::ranges::max(histogram.counts);
  const double part = (histogram.most - histogram.least) / static_cast<double>(histogram.counts.size());
  const double first = histogram.least + (histogram.whole ? 0.5 : 0);
  std::vector<std::vector<std::string>> rows{{name_of(target.name) + (histogram.whole ? "" : " from"), "samples", ""}};
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    rows.push_back({short_number(first + part * static_cast<double>(i)), grouped(histogram.counts[i]),
                    bar_of(histogram.counts[i], most)});
  return aligned(rows);
}

std::string table_of_correlations(const SetSummary& summary) {
  const auto& names = summary.correlated;
  const std::size_t shown = std::min(names.size(), kMostPrintedCorrelations);
  std::vector<std::vector<std::string>> rows{{"correlation"}};
  for (std::size_t i = 0; i < shown; ++i) rows.front().push_back(shortened(printable(names[i]), 9));
  rows.front().emplace_back("");  // an empty last column, because `aligned` aligns the last column to the left
  for (std::size_t i = 0; i < shown; ++i) {
    rows.push_back({name_of(names[i])});
    for (std::size_t k = 0; k < shown; ++k) rows.back().push_back(correlation_text(summary.correlations.of(i, k)));
    rows.back().emplace_back("");
  }
  return aligned(rows);
}

}  // namespace

std::string printed_summary(const SetSummary& summary) {
  const DataInfo& info = summary.info;
  std::string text = summary.name + " set" + (info.origin.empty() ? "" : ": " + printable(info.origin)) + "\n";
  text += "  samples  " + samples_text(summary) + "\n  shape    " + shape_text(info.shape) + "\n";
  if (info.num_classes > 0) text += "  classes  " + grouped(info.num_classes) + "\n";
  if (info.num_targets > 0) text += "  targets  " + grouped(info.num_targets) + "\n";
  if (const std::string missing = missing_text(summary); !missing.empty())
    text += "  missing  " + printable(missing) + "\n";
  for (const std::string& remark : remarks(summary)) text += "  " + remark + "\n";
  text += "\n" + table_of_columns(summary);
  if (info.num_classes > 0) text += "\n" + table_of_classes(summary);
  if (!summary.targets.empty()) text += "\n" + table_of_target(summary.targets.front());
  if (summary.correlated.size() > 1 && summary.correlated.size() <= kMostPrintedCorrelations)
    text += "\n" + table_of_correlations(summary);
  return text + "\n";
}

}  // namespace troupe::cli
