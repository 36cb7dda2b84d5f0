#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cli/html/charts.hpp"
#include "cli/html/page.hpp"
#include "cli/html/tables.hpp"
#include "cli/html/text.hpp"
#include "models/files.hpp"
#include "support/text.hpp"

using namespace troupe::cli;
using troupe_test::contains;
using troupe_test::count;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_numbers(const std::string& markup) {
  for (const char* wrong : {"nan", "inf", "NaN", "1e+"}) CHECK_MESSAGE(!contains(markup, wrong), markup);
}

}  // namespace

TEST_CASE("texts from outside are escaped") {
  CHECK(escaped("<script>&\"'") == "&lt;script&gt;&amp;&quot;&#39;");
  CHECK(escaped("a\nb\x1b[1m") == "a b?[1m");
  CHECK(escaped("naïve 日本") == "naïve 日本");
  CHECK(escaped("\xff") == "?");
  const std::string name = "</title><script>alert(1)</script>";
  Page page(name, name);
  page.section(name, name);
  page.note(name);
  page.add(table({name}, {{name}}));
  page.add(heat_table({name}, [](auto, auto) { return 0.5; }));
  page.add(bar_chart(name, {name}, std::array<std::int64_t, 1>{1}));
  page.add(histogram_chart(name, "samples", 0, 1, std::array<std::int64_t, 2>{1, 2}));
  page.add(scatter_chart(name, name, name, std::array{PlottedPoint{1, 2, 0}}, {name}));
  const std::array lines{PlottedLine{.name = name, .points = {{1, 2}}, .dots = true},
                         PlottedLine{.name = name, .points = {{1, 2}}}};
  const std::array marks{PlottedMark{1, name}};
  page.add(line_chart({name, name, name}, lines, marks));
  page.add(stacked_chart({name, name, name}, lines, marks));
  const troupe::Image image{.width = 1, .height = 1, .channels = 1, .bytes = {0}};
  page.add(picture_sheet(std::array{&image}, {name}));
  CHECK(!contains(page.text(), "<script"));
  CHECK(count(page.text(), "</title>") == count(page.text(), "<title>"));
}

TEST_CASE("ticks are round numbers, distinct, and cover their range") {
  CHECK(round_ticks(0, 10, 4) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(round_ticks(3, 97, 4) == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(round_ticks(-1, 1, 4) == std::vector<double>{-1, -0.5, 0, 0.5, 1});
  CHECK(tick_text(0, 0.1) == "0");
  CHECK(tick_text(0.25, 0.05) == "0.25");
  CHECK(tick_text(20'000, 5000) == "20k");
  CHECK(tick_text(1'250'000, 50'000) == "1.25M");
  CHECK(tick_text(-0.5, 0.5) == "-0.5");
  CHECK(tick_text(10'001, 1) == "10.001k");
  CHECK(tick_text(2500, 500) == "2500");
  CHECK(tick_text(300, 100) == "300");
  CHECK(tick_text(-200'000, 200'000) == "-200k");
  CHECK(tick_text(3e-7, 1e-7) == "3e-07");
  CHECK(tick_text(2e20, 1e20) == "2e+20");
}

TEST_CASE("numbers and names are shortened") {
  CHECK(short_number(0.5) == "0.5");
  CHECK(short_number(-0.0) == "0");
  CHECK(short_number(-12345.6) == "-12,346");
  CHECK(short_number(1e12) == "1e+12");
  CHECK(short_number(kInfinity) == "–");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-1234) == "-1,234");
  CHECK(grouped(999) == "999");
  CHECK(shortened("日本語", 3) == "日本語");
  CHECK(shortened("日本語", 2) == "日…");
  CHECK(shortened("column_1", 7) == "colu…_1");
  CHECK(shortened("", 7).empty());
}

TEST_CASE("charts have finite coordinates even if their data is empty, infinite or of zero width") {
  check_numbers(histogram_chart("", "samples", 5, 5, std::array<std::int64_t, 1>{3}));
  check_numbers(histogram_chart("", "samples", 0, 0, std::array<std::int64_t, 1>{0}));
  CHECK(count(histogram_chart("", "samples", 5, 5, std::array<std::int64_t, 1>{3}), "class=\"bar\"") == 1);
  check_numbers(bar_chart("", {"a"}, std::array<std::int64_t, 1>{0}));
  check_numbers(scatter_chart("", "", "", {}, {}));
  const std::array points{PlottedPoint{kInfinity, 1, 0}, PlottedPoint{1, std::nan(""), 0}, PlottedPoint{2, 2, 0}};
  CHECK(count(scatter_chart("", "", "", points, {}), "<circle") == 1);
  check_numbers(scatter_chart("", "", "", points, {}));
  const std::array lines{PlottedLine{.name = "", .points = {{1, -1.7e308}, {2, kInfinity}, {3, 1.7e308}}}};
  const std::string chart = line_chart({"", "", ""}, lines);
  CHECK(count(chart, "M") == 2);  // infinite values leave a gap
  CHECK(!contains(chart, "nan"));
  CHECK(!contains(chart, "inf"));
  CHECK(contains(heat_table({"a"}, [](auto, auto) { return std::nan(""); }), "<td>–</td>"));
  CHECK(contains(heat_table({"a"}, [](auto, auto) { return -0.001; }), ">0.00<"));
}

TEST_CASE("coordinates of a chart are proportional to values, and the height of a bar to its count") {
  const Plot plot("", "", "", {0, 10}, {0, 4}, {});
  CHECK(plot.x(5) - plot.x(0) == doctest::Approx((plot.x(10) - plot.x(0)) / 2));
  CHECK(plot.y(0) - plot.y(1) == doctest::Approx((plot.y(0) - plot.y(4)) / 4));
  CHECK(plot.y(4) < plot.y(0));
  const std::string chart = histogram_chart("", "samples", 0, 2, std::array<std::int64_t, 2>{4, 1});
  CHECK(contains(chart, "height=\"" + place(plot.y(0) - plot.y(4)) + "\"><title>0 to 1: 4<"));
  CHECK(contains(chart, "height=\"" + place(plot.y(0) - plot.y(1)) + "\"><title>1 to 2: 1<"));
}

TEST_CASE("a page that cannot be written is an error with the file name") {
  const troupe::testing::TemporaryFolder folder;
  const Page page("title", "");
  CHECK_THROWS_WITH_AS(page.write(folder / "no/page.html"), doctest::Contains("page.html"), troupe::Error);
  page.write(folder / "page.html");
  CHECK(troupe::testing::read_file(folder / "page.html") == page.text());
}
