#include <doctest/doctest.h>

#include "cli/html/browser.hpp"
#include "cli/report/run_lines.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/text.hpp"

// The pages of `data show` and `report` after a browser's layout.
using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

/// Returns whether a browser is installed. If not, prints that the test is skipped.
bool can_look() {
  if (has_browser()) return true;
  MESSAGE("skipped: there is no chromium, which scripts/install-deps.sh --dev installs");
  return false;
}

std::string render_quietly(const std::string& path) {
  const Rendered rendered = render(path);
  CHECK_MESSAGE(rendered.console.empty(), rendered.console);
  return rendered.document;
}

std::string write_page(const std::vector<std::string>& command, const std::string& page) {
  const Finished run = run_program(joined(command, {"--html", page}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  return page;
}

}  // namespace

TEST_CASE("a browser refuses to load resources that are not part of the page and reports them") {
  if (!can_look()) return;
  const TemporaryFolder folder;
  std::string page = read_file(write_page({"data", "show", "synthetic-linear"}, folder / "page.html"));
  page.insert(page.find("</body>"), "<img src=\"http://127.0.0.1:9/x.png\"><script>document.title='run'</script>");
  write_file(folder / "page.html", page);
  const Rendered rendered = render(folder / "page.html");
  CHECK(contains(rendered.console, "x.png"));
  CHECK(count(rendered.console, "Content Security Policy") >= 2);
  CHECK(!contains(rendered.document, "<title>run</title>"));
}

TEST_CASE("the page of a table has its charts, points and correlations in a browser") {
  if (!can_look()) return;
  const TemporaryFolder folder;
  std::string rows = "x,<i>y</i>,kind\n";
  for (int i = 0; i < 24; ++i)
    rows +=
        std::to_string(i) + "," + std::to_string(i * i % 7) + (i % 3 == 0 ? ",<script>bad()</script>\n" : ",good\n");
  write_file(folder / "data.csv", rows);
  const std::string document = render_quietly(
      write_page({"data", "show", "csv:" + (folder / "data.csv") + ",class=kind"}, folder / "page.html"));
  CHECK(contains(document, "<h2>Training set</h2>"));
  for (const char* title : {"Samples of each class", "x", "&lt;i&gt;y&lt;/i&gt;", "The first two columns"})
    CHECK_MESSAGE(contains(document, "<figcaption>" + std::string(title) + "</figcaption>"), title);
  CHECK(count(document, "class=\"bar\"") == 2 + 24 + 4);  // classes, values of x, and the values 0, 1, 2 and 4 of y
  CHECK(count(document, "<circle class=\"point c0\"") == 8);
  CHECK(count(document, "<circle class=\"point c1\"") == 16);
  CHECK(count(document, "<td style=\"background:rgba(") == 4);
  CHECK(!contains(document, "<i>"));
  CHECK(!contains(document, "<script"));
}

TEST_CASE("the page of an image data set shows images in a browser") {
  if (!can_look()) return;
  const TemporaryFolder folder;
  write_fashion(folder, 30, 10);
  const std::string document =
      render_quietly(write_page({"data", "show", "fashion-mnist:" + folder.path().string()}, folder / "page.html"));
  CHECK(count(document, "<img alt=\"sample ") == 40);
  CHECK(contains(document, "<h3>Ankle boot</h3>"));
}

TEST_CASE("the page of a run has its charts in a browser") {
  if (!can_look()) return;
  const TemporaryFolder folder;
  std::string lines;
  for (int step = 1; step <= 5000; ++step) {
    lines += step_line(step, 1.0 / step);
    if (step % 1000 == 0) lines += epoch_line(step / 1000, step, step / 6000.0);
  }
  write_file(folder / "steps.jsonl", lines);
  const std::string document = render_quietly(write_page({"report", folder / "steps.jsonl"}, folder / "page.html"));
  for (const char* title :
       {"Loss", "Accuracy", "Learning rate", "Loss of each step", "Mean time of each phase", "Mean rate"})
    CHECK_MESSAGE(contains(document, "<figcaption>" + std::string(title) + "</figcaption>"), title);
  CHECK(count(document, "<path class=\"line ") == 2 + 1 + 1 + 3);
  CHECK(count(document, "<path class=\"area ") == 4);
  CHECK(count(document, "<circle class=\"dot ") == 4 * 5);
}
