#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/help_groups.hpp"
#include "cli/refused.hpp"

using namespace troupe_test;

namespace {

constexpr std::size_t kScreen = 60;
constexpr std::size_t kColumns = 80;

std::vector<std::string> help(const std::vector<std::string>& command, const char* flag) {
  const Finished run = run_program(joined(command, {flag}));
  CHECK(run.status == 0);
  std::vector<std::string> lines;
  std::istringstream stream(run.out);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool lists(const std::vector<std::string>& lines, const std::string& flag) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    return (line + ' ').starts_with("  " + flag + ' ') || line.starts_with("  " + flag + ',') ||
           line.find(", " + flag + ' ') != std::string::npos;
  });
}

}  // namespace

TEST_CASE("help fits a screen of 80 columns, and --help-all lists all options") {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{},
                                                                                       {"train"},
                                                                                       {"tune"},
                                                                                       {"evaluate"},
                                                                                       {"predict"},
                                                                                       {"data", "show"},
                                                                                       {"devices"},
                                                                                       {"report"},
                                                                                       {"diff"},
                                                                                       {"checkpoint", "list"},
                                                                                       {"certs", "init"},
                                                                                       {"node"},
                                                                                       {"nodes"},
                                                                                       {"launch"}}) {
    CAPTURE(command.empty() ? "troupe" : command.front());
    const auto brief = help(command, "--help");
    CHECK(brief.size() <= kScreen);
    for (const auto& lines : {brief, help(command, "--help-all")})
      for (const std::string& line : lines) CHECK_MESSAGE(line.size() <= kColumns, line);
  }
}

TEST_CASE("each option of train and of tune is in one group and has a description") {
  CLI::App app;
  int status = 0;
  troupe::cli::add_train(app, status);
  troupe::cli::add_tune(app, status);
  for (const std::string command : {"train", "tune"}) {
    const auto all = help({command}, "--help-all");
    std::multiset<std::string> grouped;
    for (const auto& group : troupe::cli::help_groups(command))
      for (const auto& line : group.lines) grouped.insert(line.flag);
    for (const CLI::Option* option : app.get_subcommand(command)->get_options()) {
      const std::string name = option->get_lnames().front();
      if (name == "help") continue;
      CHECK_MESSAGE(grouped.count(name) == 1, name);
      CHECK_MESSAGE(lists(all, "--" + name), name);
    }
  }
  const auto brief = help({"train"}, "--help");
  CHECK(lists(brief, "--learning-rate"));
  CHECK_FALSE(lists(brief, "--backup-portions"));
  CHECK(brief.back() == "--help-all lists all options.");
  const auto model = std::ranges::find(brief, "Model:");
  CHECK(model < std::ranges::find(brief, "Algorithms:"));
}

TEST_CASE("evaluate accepts options of steps, which older configurations contain, and hides them from its help") {
  const auto all = help({"evaluate"}, "--help-all");
  CHECK(lists(all, "--set"));
  for (const char* flag : {"--algorithm", "--local-steps", "--step-timeout", "--strategy", "--fault"}) {
    CHECK_FALSE(lists(all, flag));
    CHECK_FALSE(lists(help({"evaluate"}, "--help"), flag));
  }
  CHECK(run_program({"evaluate", "--load", "w", "--step-timeout", "3", "--print-config"}).status == 0);
}
