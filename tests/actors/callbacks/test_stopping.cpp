#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "actors/callbacks/callback_list.hpp"
#include "actors/trainer/train_functions.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"

using namespace troupe;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;
using troupe_test::contains;
using troupe_test::trainer_options;

namespace {

/// Returns the number of reports of "loss" after which early stopping requests a stop. 0: never.
int stops_after(const callbacks::EarlyStopping& options, const std::vector<Json>& values) {
  CallbackList list({callbacks::early_stopping(options)});
  list.start({});
  for (std::size_t i = 0; i < values.size(); ++i) {
    list.report({static_cast<std::int64_t>(i + 1), 0, {{"loss", values[i]}}});
    if (list.wants_to_stop()) return static_cast<int>(i + 1);
  }
  return 0;
}

/// Creates a folder like a checkpoint, with `name` as the text of a file and of a file in a subfolder.
std::string make_checkpoint(const TemporaryFolder& folder, const std::string& name) {
  std::filesystem::create_directories((folder / name) + "/files");
  write_file((folder / name) + "/state", name);
  write_file((folder / name) + "/files/more", name);
  return folder / name;
}

/// Checks that the folder is a complete copy of a checkpoint. Returns the name of that checkpoint.
std::string copied(const std::string& path) {
  const std::string name = read_file(path + "/state");
  CHECK(read_file(path + "/files/more") == name);
  CHECK_FALSE(std::filesystem::exists(path + ".tmp-best"));
  return name;
}

/// Reports until should_stop() is true. Ends after 20,000 reports in any case.
Json count_until_stopped() {
  int i = 0;
  for (; i < 20'000 && !here().should_stop(); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
    here().report({{"loss", 1.0 / ++i}, {"high", std::min(i, 5)}});
  return i;
}

}  // namespace

TEST_CASE("patience counts reports without an improvement") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(stops_after({.patience = 2}, {5, 4, 4, 3, 3.5, 3}) == 6);
  CHECK(stops_after({.patience = 1}, {5, 5}) == 2);
  CHECK(stops_after({.patience = 2}, {5, 4, 3, 2, 1}) == 0);
  CHECK(stops_after({.better = Better::higher, .patience = 2}, {1, 2, 3, 3, 3}) == 5);
  CHECK(stops_after({.patience = 2, .least = 0.5}, {5, 4.6, 4.5, 4}) == 3);
  CHECK(stops_after({.patience = 2, .least = 0.5}, {5, 4.6, 4.4, 4}) == 0);
  CHECK(stops_after({.patience = 3}, {kNan, kNan, kNan, 1}) == 3);
  CHECK(stops_after({.patience = 2}, {1, kNan, nullptr}) == 3);
  CHECK(stops_after({.better = Better::higher, .patience = 2}, {kNan, 1, kNan, 2, "text"}) == 0);
  // Reports without the metric do not count.
  CHECK(stops_after({.metric = "accuracy", .patience = 1}, {1, 1, 1, 1}) == 0);
  CHECK(code_of([] { callbacks::early_stopping({.patience = 0}); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { callbacks::early_stopping({.least = -1}); }) == ErrorCode::invalid_argument);
}

TEST_CASE("patience is kept when a function is called again, and reset by another run") {
  const auto stopping = callbacks::early_stopping({.patience = 2});
  CallbackList list({stopping});
  list.start({});
  list.report({1, 0, {{"loss", 1}}});
  list.report({2, 0, {{"loss", 1}}});
  list.start({.attempt = 2});
  list.report({3, 0, {{"loss", 1}}});
  CHECK(list.wants_to_stop());
  list.start({});
  CHECK_FALSE(list.wants_to_stop());
}

TEST_CASE("early stopping ends a run of a trainer") {
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto stopping = callbacks::early_stopping({.metric = "high", .better = Better::higher, .patience = 3});
  const RunResults results = trainer.run(TrainFunction(count_until_stopped), {}, {.callbacks = {stopping}});
  for (const TaskResult& each : results) {
    CHECK(each.json.get<int>() >= 8);
    CHECK(each.json.get<int>() < 20'000);
  }
}

TEST_CASE("the copy is of the checkpoint with the best last report, and remains when other checkpoints are removed") {
  const TemporaryFolder folder;
  const std::string best = folder / "best";
  const callbacks::BestCheckpoint options{.path = best, .metric = "accuracy", .better = Better::higher};
  CallbackList list({callbacks::best_checkpoint(options)});
  std::int64_t number = 0;
  const auto saves = [&](const Json& accuracy, const std::string& name) {
    list.report({1, 0, {{"accuracy", accuracy}}});
    list.report({2, 0, {{"loss", 9}}});
    const std::string path = make_checkpoint(folder, name);
    list.checkpoint({++number, path, 2});
    std::filesystem::remove_all(path);
  };
  list.start({});
  list.checkpoint({1, make_checkpoint(folder, "before any report")});
  CHECK_FALSE(std::filesystem::exists(best));
  saves(std::numeric_limits<double>::quiet_NaN(), "nan");
  CHECK_FALSE(std::filesystem::exists(best));
  saves(0.5, "a");
  CHECK(copied(best) == "a");
  saves(0.4, "b");
  CHECK(copied(best) == "a");
  write_file(best + "/stale", "");
  saves(0.6, "c");
  CHECK(copied(best) == "c");
  CHECK_FALSE(std::filesystem::exists(best + "/stale"));
  saves(0.6, "d");
  CHECK(copied(best) == "c");
  CHECK(Json::parse(read_file(best + "/best.json")) ==
        Json({{"metric", "accuracy"}, {"value", 0.6}, {"checkpoint", 4}}));

  list = CallbackList({callbacks::best_checkpoint(options)});
  list.start({.resumed = true});
  saves(0.55, "e");
  CHECK(copied(best) == "c");
  list.start({.attempt = 2, .resumed = true});
  saves(0.7, "f");
  CHECK(copied(best) == "f");
  list.start({});  // an unrelated run
  saves(0.1, "g");
  CHECK(copied(best) == "g");
}

TEST_CASE("a checkpoint is judged by reports up to its iteration, and later reports do not count") {
  const TemporaryFolder folder;
  CallbackList list({callbacks::best_checkpoint({.path = folder / "best"})});
  const auto value = [&] { return Json::parse(read_file(folder / "best/best.json")).at("value"); };
  list.start({});
  for (const std::int64_t iteration : {1, 2, 3}) list.report({iteration, 0, {{"loss", 10 - iteration}}});
  list.checkpoint({1, make_checkpoint(folder, "a"), 2});
  CHECK(value() == 8.0);
  list.report({2, 0, {{"loss", 5}}});  // the run has gone back to iteration 2
  list.checkpoint({2, make_checkpoint(folder, "b"), 3});
  CHECK(value() == 5.0);
  list.start({.attempt = 2});
  list.checkpoint({3, make_checkpoint(folder, "c"), 3});
  CHECK(copied(folder / "best") == "b");
}

TEST_CASE("an error about a best checkpoint that cannot be copied states the reason") {
  const TemporaryFolder folder;
  const auto copy = [](const std::string& from, const std::string& to) {
    CallbackList list({callbacks::best_checkpoint({.path = to})});
    list.start({});
    list.report({1, 0, {{"loss", 1}}});
    list.checkpoint({1, from, 1});
  };
  const std::string there = make_checkpoint(folder, "there");
  CHECK(code_of([&] { copy("", folder / "best"); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { copy(there, ""); }) == ErrorCode::invalid_argument);
  CHECK(contains(message_of([&] { copy(folder / "nowhere", folder / "best"); }), folder / "nowhere"));
  CHECK(code_of([&] { copy(folder / "nowhere", folder / "best"); }) == ErrorCode::bad_file);
  for (const std::string& nowhere : {there + "/state/best", there + "/no/best"})
    CHECK(where_of([&] { CallbackList({callbacks::best_checkpoint({.path = nowhere})}).start({}); }).object == nowhere);
  const std::string other = make_checkpoint(folder, "other");  // an existing folder must not be replaced
  CHECK(where_of([&] { CallbackList({callbacks::best_checkpoint({.path = other})}).start({}); }).object == other);
  CHECK(read_file(other + "/state") == "other");
}

TEST_CASE("a trainer's best checkpoint is kept") {
  const TemporaryFolder folder;
  Trainer trainer(trainer_options(Placement::in_process, 2));
  const auto best = callbacks::best_checkpoint({.path = folder / "best"});
  const auto train = [] {
    for (const double loss : {3.0, 1.0, 2.0}) {
      here().report({{"loss", loss}});
      here().save_checkpoint({{"loss", loss}});
    }
  };
  trainer.run(TrainFunction(train), {}, {.callbacks = {best}, .checkpoints = {.folder = folder / "run"}});
  CHECK(Json::parse(read_file(folder / "best/checkpoint.json")).at("state").at("loss") == 1);
}
