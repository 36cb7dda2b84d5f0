#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <random>
#include <set>

#include "models/files/checkpoint/series.hpp"
#include "models/files/checkpoints.hpp"
#include "models/files/crash_images.hpp"
#include "models/files/no_exchange.hpp"
#include "support/control_group.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

CrashOptions crash_options() {
  return std::getenv("TROUPE_SOAK") != nullptr ? CrashOptions{4096, std::random_device()()} : CrashOptions{};
}

/// Returns the step of the newest checkpoint by its contents, or 0 if there is none. Every checkpoint of the series
/// must
/// be valid.
std::int64_t resumed(const CheckpointSeries& series) {
  std::vector<std::int64_t> steps{0};
  for (const SavedStep& saved : series.list()) steps.push_back(load(saved.path));
  return steps.size() == 1 ? 0 : steps[1];
}

struct Crash {
  std::string below;  ///< path of the series below the existing folder
  std::function<void(const CheckpointSeries&)> before;
  std::function<void(const CheckpointSeries&)> action;
  std::set<std::int64_t> steps;  ///< a run can resume from one of these steps, whenever the machine stops
  std::int64_t last = 0;         ///< the step to resume from if the machine stops after the action
};

std::int64_t check_image(const FileTree& image, const Crash& crash, bool at_end) {
  const TemporaryFolder folder(fast_parent());
  write_tree(folder.path(), image);
  const CheckpointSeries series(folder / crash.below);
  series.tidy();
  const std::int64_t step = resumed(series);
  REQUIRE(crash.steps.contains(step));
  if (at_end) REQUIRE(step == crash.last);
  std::filesystem::create_directories(series.folder());
  save(series.path_of(9), 9);
  series.prune(9, 1);
  series.tidy();
  std::filesystem::remove(series.folder() + "/lock");
  REQUIRE(names_in(series.folder()) == Names{"step-00000009"});
  return step;
}

void check_crashes(const Crash& crash) {
  const TemporaryFolder folder(fast_parent());
  const CheckpointSeries series(folder / crash.below);
  crash.before(series);
  const FileTree before = read_tree(folder.path());
  const auto operations = record_files(folder.path(), [&] { crash.action(series); });
  if (!operations) return troupe_test::skipped("children cannot be traced here");
  const CrashOptions options = crash_options();
  CAPTURE(options.seed);
  std::set<std::int64_t> seen;
  for_each_crash(before, *operations, options,
                 [&](const FileTree& image, bool at_end) { seen.insert(check_image(image, crash, at_end)); });
  CHECK(seen == crash.steps);
}

const auto nothing = [](const CheckpointSeries& /*series*/) {};
std::function<void(const CheckpointSeries&)> saves(std::int64_t step, int keep) {
  return [step, keep](const CheckpointSeries& series) {
    save(series.path_of(step), step);
    series.prune(step, keep);
  };
}

}  // namespace

TEST_CASE("a machine that stops while the first checkpoint is written has no checkpoint or a complete one") {
  check_crashes({"", nothing, saves(1, 1), {0, 1}, 1});
}

TEST_CASE("a machine that stops after the first checkpoint has it, even if the run created its parent folders") {
  const auto first = [](const CheckpointSeries& series) {
    const SeriesLock lock(series);
    saves(1, 1)(series);
  };
  check_crashes({"new/run", nothing, first, {0, 1}, 1});
}

TEST_CASE("a machine that stops while a checkpoint replaces the previous one has one of them, complete") {
  check_crashes({"", saves(1, 1), saves(2, 1), {1, 2}, 2});
}

TEST_CASE("a machine that stops while a checkpoint is written to the path of another has one of them, complete") {
  const auto save_as = [](std::int64_t step) {
    return [step](const CheckpointSeries& series) { save(series.path_of(1), step); };
  };
  check_crashes({"", save_as(1), save_as(2), {1, 2}, 2});
  const auto without_exchange = [&](const CheckpointSeries& series) {
    forbid_exchange();
    save_as(2)(series);
  };
  check_crashes({"", save_as(1), without_exchange, {1, 2}, 2});
}

TEST_CASE("a machine that stops while several checkpoints are written and pruned has one of them, complete") {
  const auto three = [](const CheckpointSeries& series) {
    for (const std::int64_t step : {2, 3, 4}) saves(step, 2)(series);
  };
  check_crashes({"", saves(1, 2), three, {1, 2, 3, 4}, 4});
}
