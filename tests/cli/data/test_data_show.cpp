#include <doctest/doctest.h>

#include "cli/data/show.hpp"
#include "cli/refused.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

/// The output of `data show` and the page that it writes.
struct ShownData {
  std::string out;
  std::string page;
};

ShownData show(const TemporaryFolder& folder, const std::string& source, const std::vector<std::string>& more = {}) {
  const std::string page = folder / "data.html";
  const Finished run = run_program(joined({"data", "show", source, "--html", page}, more));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(run.err.empty());
  return {run.out, read_file(page)};
}

std::string csv(const TemporaryFolder& folder, const std::string& text, const std::string& options = "") {
  write_file(folder / "data.csv", text);
  return "csv:" + (folder / "data.csv") + options;
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text))
    if (contains(line, part)) return line;
  return "";
}

void check_line(const std::string& text, const std::string& part, const std::string& pattern) {
  CHECK_MESSAGE(matches(line_with(text, part), pattern), text);
}

void check_page(const std::string& page) {
  CHECK(contains(page, "Content-Security-Policy"));
  for (const char* wrong : {"<script", "\"nan", "\"-nan", "\"inf", ",nan", "http:", "https:", "<link", "@import"})
    CHECK_MESSAGE(!contains(page, wrong), wrong);
  CHECK(count(page, "<figure") == count(page, "</figure>"));
  CHECK(count(page, "<svg") == count(page, "</svg>"));
}

}  // namespace

TEST_CASE("data show prints statistics of each column as computed by hand, and counts missing fields") {
  const TemporaryFolder folder;
  write_file(folder / "test.csv", "x,y,price\n7,NA,70\n");
  const ShownData shown = show(
      folder, csv(folder, "x,y,price\n1,4,10\n2,3,20\n3,,30\n4,1,40\n", ",missing=mean,test=" + (folder / "test.csv")));
  CHECK(contains(shown.out, "training set: "));
  check_line(shown.out, "samples  ", "  samples  4");
  check_line(shown.out, "missing", "  missing  y 1");
  check_line(shown.out, "  x  ", "  x +1 +2\\.5 +1\\.118 +4 +1\\.00 .*");
  // The mean of 4, 3 and 1 is 8/3. The deviations 4/3, 1/3, 0 and -5/3 have squares with the sum 42/9.
  // The products with the deviations of the prices (-15, -5, 5 and 15) have the sum -140/3.
  // The correlation is the quotient of that sum and sqrt(500 * 42/9), which is -0.966.
  check_line(shown.out, "  y  ", "  y +1 +2\\.667 +1\\.08 +4 +-0\\.97 .*");
  check_line(shown.out, "price (target)", "  price \\(target\\) +10 +25 +11\\.18 +40 .*");
  CHECK(contains(shown.out, "test set: "));
  CHECK(count(shown.out, "missing  y 1") == 2);
  check_page(shown.page);
  CHECK(contains(shown.page, "missing fields: y 1"));
  CHECK(contains(shown.page, "<th>correlation with price</th>"));
  CHECK(count(shown.page, "<td>1.118</td>") == 1);
  CHECK(count(shown.page, "<circle") == 2 * 4 + 2 * 1);  // two columns of each sample against the target
}

TEST_CASE("a skipped row is counted for each field that it lacks") {
  const TemporaryFolder folder;
  const ShownData shown = show(folder, csv(folder, "x,y,z\n1,2,3\n,NA,4\n5,6,\n7,8,9\n", ",missing=skip"));
  check_line(shown.out, "samples  ", "  samples  2");
  check_line(shown.out, "missing", "  missing  x 1, y 1, z 1");
}

TEST_CASE("data show counts classes and escapes their names in HTML") {
  const TemporaryFolder folder;
  const std::string source =
      csv(folder, "x,a<b>,kind\n1,2,<script>alert(1)</script>\n2,3,plain\n3,5,plain\n4,4,plain\n", ",class=kind");
  const ShownData shown = show(folder, source);
  check_line(shown.out, "plain", "  plain +3  ████████████████████████████████████████");
  check_line(shown.out, "<script>", "  <script>alert\\(1\\)…script> +1  █████████████▍");
  check_page(shown.page);
  CHECK(contains(shown.page, "&lt;script&gt;alert(1)&lt;/script&gt;: 1<"));
  CHECK(contains(shown.page, "a&lt;b&gt;"));
  CHECK(count(shown.page, "<circle") == 4);
}

TEST_CASE("data show makes a page for one sample, for one class, and for a thousand classes or columns") {
  const TemporaryFolder folder;
  const ShownData one = show(folder, csv(folder, "x,kind\n1,only\n", ",class=kind"));
  check_line(one.out, "  x  ", "  x +1 +1 +0 +1 +█");
  check_page(one.page);
  check_page(show(folder, csv(folder, "x,y\n3,3\n3,3\n3,3\n")).page);

  std::string rows = "x,y,kind\n";
  for (int i = 0; i < 1000; ++i) rows += std::to_string(i) + ",0,k" + std::to_string(i) + "\n";
  const ShownData classes = show(folder, csv(folder, rows, ",class=kind"));
  CHECK(contains(classes.out, "... and 970 more classes, with 1 to 1 samples"));
  CHECK(contains(classes.page, "The first 60 of 1,000 classes are shown."));
  check_page(classes.page);

  std::string wide;
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < 1101; ++i) wide += std::to_string(i * row) + (i < 1100 ? "," : "\n");
  const ShownData columns = show(folder, csv(folder, wide, ",header=no"));
  CHECK(contains(columns.out, "Out of 1,100 columns, the first 1,000 are described."));
  CHECK(contains(columns.out, "... and 960 more columns"));
  CHECK(contains(columns.page, "The first 24 of 1,000 columns are shown."));
  CHECK(columns.page.size() < 400'000);
  check_page(columns.page);
}

TEST_CASE("data show examines an evenly spaced part of a large set and reports it") {
  const TemporaryFolder folder;
  std::string rows = "x,y\n";
  for (int i = 0; i < 100; ++i) rows += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
  const ShownData shown = show(folder, csv(folder, rows), {"--samples", "10"});
  check_line(shown.out, "samples  ", "  samples  100; the figures below are from 10 of them, .*");
  check_line(shown.out, "  x  ", "  x +0 +45 +28\\.72 +90 .*");  // 0, 10, ... 90
  CHECK(contains(shown.page, "100; the figures below are from 10"));
  check_line(show(folder, csv(folder, rows), {"--samples", "1000"}).out, "samples  ", "  samples  100");
  CHECK(troupe::cli::samples_looked_at({.num_samples = 1'000'000, .shape = {4}}, 0) == 100'000);
  CHECK(troupe::cli::samples_looked_at({.num_samples = 1'000'000, .shape = {3, 1024, 1024}}, 0) == 1000);
  CHECK(troupe::cli::samples_looked_at({.num_samples = 10, .shape = {4}}, 0) == 10);
}

TEST_CASE("images are described by channel and shown for each class after the transforms") {
  const TemporaryFolder folder;
  write_fashion(folder, 100, 20);
  const std::string source = "fashion-mnist:" + folder.path().string();
  const ShownData shown = show(folder, source);
  CHECK(contains(shown.out, "  shape    1 x 28 x 28"));
  check_line(shown.out, "Ankle boot", "  Ankle boot +10  ████████████████████████████████████████");
  CHECK(count(shown.page, "<img ") == 100 + 20);
  CHECK(contains(shown.page, "<h3>Ankle boot</h3>"));
  CHECK(contains(shown.page, "src=\"data:image/png;base64,iVBORw0KGgo"));
  check_page(shown.page);
  const ShownData cropped = show(folder, source, {"--transform", "crop 8 2, normalise"});
  CHECK(contains(cropped.out, "  shape    1 x 8 x 8"));
  CHECK(contains(cropped.out, "Random transforms are applied"));
  CHECK(contains(cropped.page, "Transforms: crop 8 2, normalise"));
  const ShownData colours = show(folder, "mock-images:8,3", {"--samples", "20"});
  check_line(colours.out, "green", "  green .*");
  check_page(colours.page);
}

TEST_CASE("data show refuses data that it cannot read") {
  const TemporaryFolder folder;
  write_file(folder / "bad.csv", "x,y\n1,2\n3,oops\n");
  check_refused({"data", "show", "no-such-data"}, {"no-such-data"});
  check_refused({"data", "show", "csv:" + (folder / "bad.csv"), "--html", folder / "bad.html", "--samples", "0"},
                {"--samples"});
  check_refused({"data", "show", "csv:" + (folder / "none.csv")}, {"none.csv"});
  check_refused({"data", "show", "synthetic-linear", "--transform", "flip"}, {"flip"});
  const Finished run = run_program({"data", "show", "synthetic-linear", "--html", folder / "no/page.html"});
  CHECK(run.status == 1);
  CHECK(contains(run.err, "page.html"));
}
