#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/report/report_page.hpp"
#include "cli/run_options.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

void show_report(const std::string& report, const std::string& html) {
  const RunRecord run = read_run(report);
  if (run.cut_off)
    log_line(LogLevel::warning, "the last line of " + printable(report) + " is incomplete and is left out");
  for (const auto& [name, text] : facts_of(run)) std::printf("%-26s%s\n", name.c_str(), text.c_str());
  if (!html.empty()) report_page(report, run).write(html);
}

}  // namespace

void add_report(CLI::App& app) {
  struct Paths {
    std::string report;
    std::string html;
  };
  auto paths = std::make_shared<Paths>();
  CLI::App& report = *app.add_subcommand("report", "Summarize a run from its report, and draw charts");
  report.add_option("FILE", paths->report, "Report of `train --report FILE`")->required();
  report.add_option("--html", paths->html, "Also write charts to this file, as a page for a browser")
      ->check(not_empty());
  report.callback([paths] { show_report(paths->report, paths->html); });
}

}  // namespace troupe::cli
