#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "actors/tune/trial_reports.hpp"
#include "actors/tune/trial_task.hpp"
#include "runtime/processes/cores.hpp"
#include "support/patience.hpp"
#include "troupe/error.hpp"
#include "troupe/tune.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

/// A folder for one test.
struct Folder {
  std::string path = (fs::temp_directory_path() / "search-XXXXXX").string();
  Folder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + '/' + name; }
};

tune::Trainable trainable(const std::string& function = "tune") {
  tune::Trainable made;
  made.function = function;
  return made;
}

tune::Options search(int samples) {
  tune::Options options;
  options.space = {{"lr", tune::uniform(0, 1)}};
  options.num_samples = samples;
  return options;
}

std::string text_of(const tune::Analysis& analysis) {
  std::ostringstream text;
  text << analysis;
  return text.str();
}

/// Returns the contents of all trials, without times.
Json content_of(const tune::Analysis& analysis) {
  Json all = Json::array();
  for (const tune::Trial& trial : analysis.trials()) {
    Json reports = Json::array();
    for (const Report& report : trial.reports) reports.push_back({report.iteration, report.metrics});
    all.push_back({trial.number, trial.config, to_string(trial.state), trial.result, reports});
  }
  return all;
}

TEST_CASE("a search runs each trial with its own values, and finds the best") {
  tune::Options options = search(4);
  options.space["steps"] = tune::grid({2, 3});
  const tune::Analysis analysis = tune::run(trainable(), options);
  REQUIRE(analysis.trials().size() == 8);
  CHECK(analysis.is_complete());
  std::set<double> values;
  double best = 9;
  for (const tune::Trial& trial : analysis.trials()) {
    CHECK(trial.state == tune::TrialState::done);
    CHECK(trial.attempts == 1);
    CHECK(trial.reports.size() == trial.config.at("steps"));
    CHECK(trial.result == Json{{"steps", trial.config.at("steps")}});
    const double lr = trial.config.at("lr");
    values.insert(lr);
    best = std::min(best, std::abs(lr - 0.3) + 1 / trial.config.at("steps").get<double>());
    CHECK(trial.reports.back().metrics.at("loss").get<double>() ==
          doctest::Approx(std::abs(lr - 0.3) + 1 / trial.config.at("steps").get<double>()));
  }
  CHECK(values.size() == 8);
  CHECK(analysis.best().reports.back().metrics.at("loss").get<double>() == doctest::Approx(best));
  const std::string text = text_of(analysis);
  CHECK(text.starts_with("trial  state  loss"));
  CHECK(std::ranges::count(text, '\n') == 9);
}

TEST_CASE("the same seed produces the same trials for any concurrency") {
  tune::Options options = search(6);
  const Json alone = [&] {
    options.concurrent = 1;
    return content_of(tune::run(trainable(), options));
  }();
  options.concurrent = 2;
  CHECK(content_of(tune::run(trainable(), options)) == alone);
  options.seed = 2;
  CHECK(content_of(tune::run(trainable(), options)) != alone);
}

TEST_CASE("trials have cores of their own, and the number of cores limits the trials that run at the same time") {
  tune::Options options = search(4);
  options.space = {{"n", tune::grid({1, 2})}};
  const auto there = usable_core_numbers();
  std::map<int, int> core_of;  // by running trial
  std::size_t most = 0;
  options.on_change = [&](const tune::Trial& trial) {
    if (trial.state != tune::TrialState::running || trial.reports.empty()) {
      core_of.erase(trial.number);
      return;
    }
    const int core = trial.reports.back().metrics.at("first");
    for (const auto& [other, its_core] : core_of) CHECK((other == trial.number || its_core != core));
    core_of[trial.number] = core;
    most = std::max(most, core_of.size());
  };
  const tune::Analysis analysis = tune::run(trainable("tune cores"), options);
  CHECK(analysis.trials().size() == 8);
  for (const tune::Trial& trial : analysis.trials()) {
    REQUIRE(trial.reports.size() == 1);
    CHECK(trial.reports[0].metrics.at("cores") == 1);
    CHECK(std::ranges::count(there, trial.reports[0].metrics.at("first").get<int>()) == 1);
    CHECK(trial.reports[0].metrics.at("score") >= 500);  // the kernel kills trials first when memory is exhausted
  }
  CHECK(most >= 1);
  CHECK(most <= there.size());
}

TEST_CASE("an exception fails the trial, and the others continue") {
  tune::Options options = search(1);
  options.space["trouble"] = tune::grid({"", "throw"});
  const tune::Analysis analysis = tune::run(trainable(), options);
  CHECK(analysis.trials()[0].state == tune::TrialState::done);
  CHECK(analysis.trials()[1].state == tune::TrialState::failed);
  CHECK(analysis.trials()[1].attempts == 1);
  CHECK(analysis.trials()[1].error.find("out of luck") != std::string::npos);
  CHECK(analysis.trials()[1].reports.size() == 1);
  CHECK(analysis.best().number == 1);
  CHECK(text_of(analysis).find("out of luck") != std::string::npos);
}

TEST_CASE("a trial that hangs each time fails, and the others continue") {
  const Folder marks;
  tune::Options options = search(1);
  options.report_timeout = std::chrono::milliseconds(troupe_test::kSanitized ? 10'000 : 700);
  options.max_failures = 1;
  options.space.update({{"trouble", tune::grid({"", "hang", ""})}, {"marks", marks.path}, {"times", 9}});
  const tune::Analysis analysis = tune::run(trainable(), options);
  for (const std::size_t healthy : {0U, 2U}) CHECK(analysis.trials()[healthy].state == tune::TrialState::done);
  CHECK(analysis.trials()[1].state == tune::TrialState::failed);
  CHECK(analysis.trials()[1].attempts == 2);
}

TEST_CASE("a lost trial restarts, from its checkpoint if there is one") {
  for (const char* trouble : {"die", "exit", "hang"})
    for (const bool save : {false, true}) {
      CAPTURE(trouble);
      CAPTURE(save);
      const Folder marks;
      tune::Options options = search(1);
      options.report_timeout = std::chrono::milliseconds(std::string(trouble) != "hang" ? 60'000
                                                         : troupe_test::kSanitized      ? 10'000
                                                                                        : 700);
      options.space["save"] = save;
      options.space["marks"] = marks.path;
      options.space["at"] = 3;
      options.space["steps"] = 4;
      const Json smooth = content_of(tune::run(trainable(), options))[0][4];
      options.space["trouble"] = trouble;
      const tune::Analysis analysis = tune::run(trainable(), options);
      const tune::Trial& trial = analysis.trials()[0];
      CHECK(trial.state == tune::TrialState::done);
      CHECK(trial.attempts == 2);
      CHECK(trial.error.empty());
      CHECK(content_of(analysis)[0][4] == smooth);
      CHECK(trial.checkpoint.empty() == !save);
    }
}

TEST_CASE("a trial that is lost too often fails with an error that states the reason") {
  const Folder marks;
  tune::Options options = search(1);
  options.max_failures = 1;
  options.space.update({{"trouble", "die"}, {"marks", marks.path}, {"times", 9}});
  const tune::Analysis analysis = tune::run(trainable(), options);
  CHECK(analysis.trials()[0].state == tune::TrialState::failed);
  CHECK(analysis.trials()[0].attempts == 2);
  CHECK(analysis.trials()[0].error == "lost: its process was ended by signal 9");
  CHECK_THROWS_WITH_AS(analysis.best(), doctest::Contains("every trial failed or reported no number as 'loss'"), Error);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers need terabytes of address space
TEST_CASE("a trial that exceeds its memory limit fails") {
  const Folder marks;
  tune::Options options = search(1);
  options.resources_per_trial.memory = std::size_t{1} << 30;
  options.space.update({{"trouble", "eat"}, {"marks", marks.path}, {"times", 9}});
  const tune::Analysis analysis = tune::run(trainable(), options);
  CHECK(analysis.trials()[0].state == tune::TrialState::failed);
  CHECK_MESSAGE(analysis.trials()[0].error.find("RLIMIT_DATA limits this process to 1024 MB") != std::string::npos,
                analysis.trials()[0].error);
}
#endif

TEST_CASE("a search that was stopped resumes where it was") {
  tune::Options options = search(5);
  const Json whole = content_of(tune::run(trainable(), options));
  const Folder folder;
  options.folder = folder.path;
  options.concurrent = 1;
  int reports = 0;
  options.on_change = [&](const tune::Trial& trial) { reports += trial.state == tune::TrialState::running; };
  options.should_stop = [&] { return reports > 8; };
  options.resume = true;  // starts a new search if there is none
  const tune::Analysis half = tune::run(trainable(), options);
  CHECK_FALSE(half.is_complete());
  CHECK(half.trials().size() < 5);
  options.should_stop = {};
  const tune::Analysis rest = tune::run(trainable(), options);
  CHECK(rest.is_complete());
  CHECK(content_of(rest) == whole);
  options.num_samples = 6;
  CHECK_THROWS_WITH_AS(tune::run(trainable(), options), doctest::Contains("the search there has another num_samples"),
                       Error);
  options.num_samples = 5;
  options.resume = false;
  CHECK_THROWS_WITH_AS(tune::run(trainable(), options), doctest::Contains("there is a search already"), Error);
}

TEST_CASE("only one search at a time can use a folder") {
  const Folder folder;
  tune::Options options = search(1);
  options.folder = folder.path;
  bool asked = false;
  options.on_change = [&](const tune::Trial&) {
    if (std::exchange(asked, true)) return;
    tune::Options other = options;
    other.on_change = {};
    other.resume = true;
    try {
      tune::run(trainable(), other);
      FAIL("two searches write to the same folder");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::in_use);
    }
  };
  tune::run(trainable(), options);
  CHECK(asked);
}

TEST_CASE("asha stops the worst trials early") {
  tune::Options options = search(8);
  options.space["steps"] = 9;
  options.concurrent = 1;
  options.scheduler = tune::asha(9, 1, 3);
  const tune::Analysis analysis = tune::run(trainable(), options);
  int stopped = 0;
  double best = 9;
  for (const tune::Trial& trial : analysis.trials()) {
    best = std::min(best, std::abs(trial.config.at("lr").get<double>() - 0.3));
    if (trial.state != tune::TrialState::stopped) continue;
    ++stopped;
    CHECK(trial.result.is_null());
  }
  CHECK(stopped >= 3);
  CHECK(std::abs(analysis.best().config.at("lr").get<double>() - 0.3) == doctest::Approx(best));
  options.metric = "los";
  CHECK_THROWS_WITH_AS(tune::run(trainable(), options),
                       "the scheduler compares 'los', but trials report loss, step; did you mean 'loss'?", Error);
}

TEST_CASE("a trial with the maximum number of reports may finish, and one that continues is stopped") {
  tune::Options options = search(2);
  options.space["steps"] = tune::grid({3, 50});
  options.space["save"] = true;
  options.scheduler.max_iterations = 3;
  const tune::Analysis analysis = tune::run(trainable(), options);
  for (const tune::Trial& trial : analysis.trials()) {
    CHECK(trial.state == tune::TrialState::done);
    CHECK(trial.reports.size() == 3);
    CHECK(std::filesystem::exists(trial.checkpoint));
    CHECK(trial.result.is_null() == (trial.config.at("steps") == 50));
  }
}

TEST_CASE("a trial restarts if its reports were lost with the machine") {
  tune::Options options = search(2);
  const Json whole = content_of(tune::run(trainable(), options));
  const Folder folder;
  options.folder = folder.path;
  options.resume = true;
  tune::run(trainable(), options);
  fs::resize_file(folder / "trial-0001/reports.jsonl", 20);
  const tune::Analysis again = tune::run(trainable(), options);
  CHECK(content_of(again) == whole);
  CHECK(again.trials()[0].attempts == 1);
  std::ofstream(folder / "trial-0002/end.json") << "{";
  CHECK_THROWS_WITH_AS(tune::run(trainable(), options), doctest::Contains("end.json"), Error);
}

TEST_CASE("rewind removes the reports after a checkpoint") {
  const Folder folder;
  const std::string path = folder / "reports.jsonl";
  {
    tune::TrialReports reports(path);
    reports.rewind(0);
    for (int i = 1; i <= 3; ++i) reports.add({.iteration = 10 * i, .metrics = {{"i", i}}});
    reports.add_checkpoint(1, 20);  // other ranks saved it only then
    reports.rewind(1);
    CHECK(reports.count() == 2);
    CHECK(reports.add({.iteration = 30, .metrics = {{"i", 4}}}).iteration == 3);
    // The checkpoint is on disk, but the process was killed before the checkpoint's line was written.
    reports.rewind(2);
    CHECK(reports.count() == 3);
    reports.rewind(2);
    CHECK(reports.count() == 3);
  }
  std::ofstream(path, std::ios::app) << "{\"of\":40,\"iter";
  CHECK(tune::read_reports(path).size() == 3);
  CHECK(tune::read_reports(path)[2].metrics.at("i") == 4);
  tune::TrialReports reports(path);
  reports.rewind(0);
  CHECK(reports.count() == 0);
  CHECK(tune::read_reports(path).empty());
}

TEST_CASE("a trial that cannot be started ends the search without further damage") {
  const Folder folder;
  tune::Options options = search(2);
  options.folder = folder / "search";
  fs::create_directories(folder / "search/trial-0001/output.txt");
  CHECK_THROWS_WITH_AS(tune::run(trainable(), options), doctest::Contains("output.txt"), Error);
}

TEST_CASE("an exception of on_change ends the search") {
  tune::Options options = search(2);
  options.on_change = [](const tune::Trial& trial) {
    if (!trial.reports.empty()) static_cast<void>(trial.config.at("no such"));
  };
  CHECK_THROWS_AS(tune::run(trainable(), options), Json::exception);
}

TEST_CASE("a trial's values are merged into the common config, also in nested objects") {
  tune::Trainable made = trainable();
  made.config = {{"nested", {{"kept", 1}}}};
  tune::Options options = search(1);
  const Folder folder;
  options.folder = folder.path;
  options.space["nested"] = {{"drawn", tune::choice({2})}};
  tune::run(made, options);
  const Json task = tune::read_json(folder / "trial-0001/trial.json");
  CHECK(task.at("config").at("nested") == Json{{"kept", 1}, {"drawn", 2}});
}

TEST_CASE("a user-defined suggest function chooses the values") {
  tune::Options options;
  options.concurrent = 1;
  options.suggest = [](std::span<const tune::Trial> trials) -> std::optional<Json> {
    if (trials.size() == 3) return std::nullopt;
    if (trials.empty()) return Json{{"lr", 0.9}};
    return Json{{"lr", trials.back().config.at("lr").get<double>() - 0.2}};
  };
  const tune::Analysis analysis = tune::run(trainable(), options);
  REQUIRE(analysis.trials().size() == 3);
  CHECK(analysis.best().config.at("lr").get<double>() == doctest::Approx(0.5));
}

TEST_CASE("a trial that is stopped early gets a request to end, and is killed if it ignores the request") {
  const Folder folder;
  tune::Options options = search(1);
  options.folder = folder / "polite";
  options.scheduler.max_iterations = 3;
  const tune::Analysis polite = tune::run(trainable("end politely"), options);
  const tune::Trial& ended = polite.trials().front();
  CHECK(ended.state == tune::TrialState::done);
  CHECK(ended.reports.size() == 3);  // later reports do not count
  CHECK(fs::exists(polite.folder_of(ended) + "/saved"));
  options.folder = folder / "deaf";
  options.space["deaf"] = true;
  options.end_timeout = std::chrono::milliseconds(50);
  const tune::Analysis deaf = tune::run(trainable("end politely"), options);
  CHECK(deaf.trials().front().state == tune::TrialState::done);
  CHECK_FALSE(fs::exists(deaf.folder_of(deaf.trials().front()) + "/saved"));
  // The same happens when the search stops. The trial restarts when the search is resumed.
  options.folder = folder / "stopped";
  options.space["deaf"] = false;
  options.scheduler = {};
  options.end_timeout = std::chrono::seconds(60);
  bool stops = false;
  options.on_change = [&](const tune::Trial& trial) { stops = stops || trial.reports.size() >= 3; };
  options.should_stop = [&] { return stops; };
  const tune::Analysis stopped = tune::run(trainable("end politely"), options);
  CHECK_FALSE(stopped.is_complete());
  CHECK(stopped.trials().front().state == tune::TrialState::waiting);
  CHECK(fs::exists(stopped.folder_of(stopped.trials().front()) + "/saved"));
  options.end_timeout = std::chrono::milliseconds(-1);
  CHECK_THROWS_AS(tune::run(trainable("end politely"), options), Error);
}

TEST_CASE("a stopped trial does not continue beyond the report, even if its search is slow") {
  const Folder folder;
  tune::Options options = search(1);
  options.folder = folder.path;
  options.scheduler.max_iterations = 3;
  options.on_change = [](const tune::Trial&) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  tune::run(trainable("end politely"), options);
  std::int64_t ended_at = 0;
  std::ifstream(folder / "trial-0001/saved") >> ended_at;
  CHECK(ended_at == 4);
}

TEST_CASE("a trial's function can create a trainer within the trial's resources, and forward its reports") {
  const Folder folder;
  tune::Options options = search(1);
  if (usable_cores() > 1) {
    options.resources_per_trial.cpus = 2;
    const tune::Analysis analysis = tune::run(trainable("tune nested"), options);
    CHECK(analysis.trials()[0].state == tune::TrialState::done);
    CHECK(analysis.trials()[0].reports.size() == 3);
  }
  options.resources_per_trial.cpus = 1;
  options.folder = folder / "shared";
  const tune::Analysis shared = tune::run(trainable("tune nested"), options);
  CHECK(shared.trials()[0].state == tune::TrialState::done);
  std::ostringstream printed;
  printed << std::ifstream(shared.folder_of(shared.trials()[0]) + "/output.txt").rdbuf();
  CHECK(printed.str().find("2 workers share 1 core") != std::string::npos);
}

TEST_CASE("a trainer's function can be the function of trials, with the trainer's workers") {
  Trainer trainer{{.num_workers = 2, .placement = Placement::processes}};
  tune::Options options = search(2);
  options.resources_per_trial.cpus = 1;
  const tune::Analysis analysis =
      tune::run(trainer.to_trainable("tune", {.reports = {.aggregate = Aggregate::sum}}), options);
  for (const tune::Trial& trial : analysis.trials()) {
    CHECK(trial.state == tune::TrialState::done);
    CHECK(trial.reports.back().metrics.at("step") == 3 * 2);
  }
  CHECK_THROWS_AS(trainer.to_trainable("tune", {.callbacks = {tune::pass_on()}}), Error);
}

TEST_CASE("values of the space can select data") {
  const Folder folder;
  std::ofstream(folder / "book.txt") << std::string(100, 'a') + std::string(100, 'b');
  tune::Trainable rows = trainable("tune rows");
  rows.dataset = "text:" + (folder / "book.txt") + ",window={data.window}";
  tune::Options options;
  options.space = {{"data", {{"window", tune::grid({4, 8})}}}};
  const tune::Analysis analysis = tune::run(rows, options);
  REQUIRE(analysis.trials().size() == 2);
  CHECK(analysis.trials()[0].reports.at(0).metrics.at("size") == 4 * 2);
  CHECK(analysis.trials()[1].reports.at(0).metrics.at("size") == 8 * 2);
  rows.dataset = "text:{file}";
  CHECK_THROWS_WITH_AS(tune::run(rows, options), doctest::Contains("requires {file}"), Error);
  CHECK(tune::datasets_of("tar:a-{000..009}.tar,size={n}", {{"n", 32}}).all().at(0).name() ==
        "tar:a-{000..009}.tar,size=32");
}

TEST_CASE("invalid searches are refused before the start") {
  CHECK_THROWS_WITH_AS(tune::run(trainable("tun"), search(1)), doctest::Contains("tune"), Error);
  tune::Options options = search(1);
  options.resources_per_trial.cpus = 1000;
  CHECK_THROWS_WITH_AS(tune::run(trainable(), options), doctest::Contains("a trial takes 1000 cores; available: "),
                       Error);
  options = search(0);
  CHECK_THROWS_AS(tune::run(trainable(), options), Error);
  options = search(1);
  options.suggest = [](std::span<const tune::Trial>) { return std::optional<Json>(); };
  CHECK_THROWS_AS(tune::run(trainable(), options), Error);
  tune::Trainable idle = trainable();
  idle.workers.cpus_per_worker = 0;
  CHECK_THROWS_AS(tune::run(idle, search(1)), Error);
  options = search(1);
  options.resume = true;
  CHECK_THROWS_AS(tune::run(trainable(), options), Error);
  tune::Trainable far = trainable();
  far.workers.placement = Placement::cluster;
  CHECK_THROWS_AS(tune::run(far, search(1)), Error);
  options = search(1);
  options.folder = "/proc/no/such";
  CHECK_THROWS_AS(tune::run(trainable(), options), Error);
}

}  // namespace
}  // namespace troupe
