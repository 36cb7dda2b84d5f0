#include <algorithm>
#include <cmath>

#include "cli/data/show.hpp"
#include "cli/html/charts.hpp"
#include "cli/html/page.hpp"
#include "cli/html/tables.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

constexpr std::size_t kMostRows = 100;   ///< maximum number of rows in the table of columns
constexpr std::size_t kMostCharts = 24;  ///< maximum number of columns whose histograms are shown
constexpr std::size_t kTitleLetters = 80;
constexpr std::size_t kMostBars = 60;  ///< maximum number of bars in a chart of classes
/// Maximum number of classes in a scatter chart that has one colour per class.
constexpr std::size_t kMostColours = 10;

std::string count_of(std::size_t count, const char* what) { return grouped(static_cast<std::int64_t>(count)) + what; }

/// If `shown` is less than `all`, adds a note to the page, such as "The first 24 of 1,000 columns are shown."
void say_first(Page& page, std::size_t shown, std::size_t all, const char* what) {
  if (shown < all) page.note("The first " + count_of(shown, " of ") + count_of(all, what) + " are shown.");
}

std::string sentence_of(const SetSummary& summary) {
  const DataInfo& info = summary.info;
  std::string text = samples_text(summary) + (summary.looked_at == info.num_samples ? " samples" : "") + "; shape " +
                     shape_text(info.shape) + "; ";
  const bool classes = info.num_classes > 0;
  const std::int64_t count = classes ? info.num_classes : info.num_targets;
  text += grouped(count) + (classes ? " class" : " target") + (count == 1 ? "" : classes ? "es" : "s");
  if (!info.origin.empty()) text += "; " + info.origin;
  if (const std::string missing = missing_text(summary); !missing.empty()) text += "; missing fields: " + missing;
  return text;
}

void add_table(Page& page, const SetSummary& summary) {
  const Correlations& with = summary.with_targets;
  std::vector<std::string> headings{"", "min", "mean", "deviation", "max"};
  for (std::size_t k = 0; k < with.columns(); ++k)
    headings.push_back("correlation with " + shortened(summary.targets[k].name, 24));
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const Described& each, const std::string& name) {
    const Moments& m = each.moments;
    rows.push_back(
        {name, short_number(m.least()), short_number(m.mean()), short_number(m.deviation()), short_number(m.most())});
  };
  const std::size_t shown = std::min(summary.columns.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    add(summary.columns[i], shortened(summary.columns[i].name, 40));
    for (std::size_t k = 0; k < with.columns(); ++k)
      rows.back().push_back(short_number(std::round(with.of(i, k) * 1e4) / 1e4));
  }
  for (const Described& target : summary.targets) {
    add(target, shortened(target.name, 40) + " (target)");
    rows.back().resize(headings.size());
  }
  page.add(table(headings, rows));
  say_first(page, shown, summary.columns.size(), " columns");
}

void add_classes(Page& page, const SetSummary& summary) {
  if (summary.class_counts.empty()) return;
  const std::size_t shown = std::min(summary.class_counts.size(), kMostBars);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(class_text(summary.info, i));
  page.add(bar_chart("Samples of each class", names, std::span(summary.class_counts).first(shown)));
  say_first(page, shown, summary.class_counts.size(), " classes");
}

void add_histograms(Page& page, const SetSummary& summary) {
  const auto chart = [&](const Described& each, const std::string& name, const char* what) {
    page.add(histogram_chart(name, what, each.histogram.least, each.histogram.most, each.histogram.counts));
  };
  const char* const what = summary.info.shape.size() == 1 ? "samples" : "values";
  const std::size_t shown = std::min(summary.columns.size(), kMostCharts);
  page.begin_row();
  for (const Described& target : summary.targets) chart(target, shortened(target.name, 40) + " (target)", "samples");
  for (std::size_t i = 0; i < shown; ++i) chart(summary.columns[i], shortened(summary.columns[i].name, 40), what);
  page.end_row();
  say_first(page, shown, summary.columns.size(), " columns");
}

void add_correlations(Page& page, const SetSummary& summary) {
  if (summary.correlated.size() < 2) return;
  page.add("<h3>Correlation (Pearson)</h3>");
  page.add(heat_table(summary.correlated,
                      [&](std::size_t row, std::size_t column) { return summary.correlations.of(row, column); }));
  const std::size_t all = summary.columns.size() + summary.targets.size();
  if (summary.correlated.size() < all)
    page.note("This shows the first " + count_of(summary.correlated.size() - summary.targets.size(), " of ") +
              count_of(summary.columns.size(), " columns."));
}

/// Adds a scatter chart of the first two columns to the page. The chart has one colour for each class, if there are at
/// most kMostColours classes.
void add_classes_scatter(Page& page, const SetSummary& summary) {
  const std::size_t classes = summary.class_counts.size();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(classes, kMostColours); ++i) names.push_back(class_text(summary.info, i));
  // Too many classes, or samples with several: all points have the same colour, and there is no legend.
  if (classes > kMostColours || summary.info.labels_per_sample > 1) names.clear();
  std::vector<PlottedPoint> points;
  for (const Point& point : summary.points)
    points.push_back({.x = static_cast<double>(point.values[0]),
                      .y = static_cast<double>(point.values[1]),
                      .group = names.empty() ? 0 : static_cast<std::size_t>(point.label)});
  page.add(scatter_chart("The first two columns", summary.columns[0].name, summary.columns[1].name, points, names));
}

void add_scatters(Page& page, const SetSummary& summary) {
  if (summary.points.empty()) return;
  const bool classes = summary.targets.empty();
  if (classes && summary.columns.size() < 2) return;
  page.begin_row();
  if (classes) add_classes_scatter(page, summary);
  const std::size_t shown = classes ? 0 : summary.points.front().values.size();
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<PlottedPoint> points;
    for (const Point& point : summary.points)
      points.push_back({.x = static_cast<double>(point.values[i]), .y = static_cast<double>(point.target)});
    const std::string& column = summary.columns[i].name;
    page.add(scatter_chart(shortened(column, 24) + " and " + shortened(summary.targets.front().name, 24), column,
                           summary.targets.front().name, points, {}));
  }
  page.end_row();
  page.note("Points: " + count_of(summary.points.size(), " samples."));
}

void add_pictures(Page& page, const SetSummary& summary) {
  for (std::size_t i = 0; i < summary.pictures.size();) {
    const std::int32_t label = summary.pictures[i].label;
    std::vector<const Image*> images;
    std::vector<std::string> says;
    for (; i < summary.pictures.size() && summary.pictures[i].label == label; ++i) {
      images.push_back(&summary.pictures[i].image);
      says.push_back("sample " + std::to_string(summary.pictures[i].number));
    }
    if (label >= 0) page.add("<h3>" + escaped(class_text(summary.info, static_cast<std::size_t>(label))) + "</h3>");
    page.add(picture_sheet(images, says));
  }
  if (summary.info.num_classes > kMostPicturedClasses)
    say_first(page, kMostPicturedClasses, summary.class_counts.size(), " classes");
}

}  // namespace

void write_data_page(const std::string& path, const std::string& source, const std::vector<SetSummary>& sets) {
  const std::string transforms = sets.front().info.transforms;
  const std::string title = shortened(source, kTitleLetters);
  Page page("Data: " + title, title == source ? "" : source);
  if (!transforms.empty()) page.note("Transforms: " + transforms);
  for (const SetSummary& summary : sets) {
    std::string heading = summary.name + " set";
    heading.front() = static_cast<char>(heading.front() - 'a' + 'A');
    page.section(heading, sentence_of(summary));
    for (const std::string& remark : remarks(summary)) page.note(remark);
    add_table(page, summary);
    add_classes(page, summary);
    add_histograms(page, summary);
    add_correlations(page, summary);
    add_scatters(page, summary);
    add_pictures(page, summary);
  }
  page.write(path);
}

}  // namespace troupe::cli
