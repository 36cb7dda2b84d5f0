#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "mutation/field_names.hpp"
#include "mutation/nodes_here.hpp"
#include "mutation/runs_here.hpp"
#include "mutation/watchdog.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// Returns a number from the environment, or `otherwise`.
int told(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

std::string told_text(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Runs a scenario once for each lie, several runs at a time, because runs mostly wait.
class Trial {
 public:
  explicit Trial(const Scenario& scenario)
      : scenario_(scenario), truth_(truth_here(scenario)), lies_(lies_about(truth_)) {}

  void add_kinds(std::set<std::string>& kinds) const {
    for (const auto& [spot, message] : truth_.messages) kinds.insert(spot.kind);
  }
  void run() {
    next_ = static_cast<std::size_t>(told("TROUPE_MUTATIONS_FROM", 0));
    std::vector<std::jthread> threads;
    for (int i = told("TROUPE_MUTATIONS_THREADS", 6); i > 0; --i) threads.emplace_back([this] { try_lies(); });
  }
  void report() const {
    CHECK(10 * untold_ <= tried_);
    for (const auto& [field, finding] : findings_)
      FAIL_CHECK(std::string(scenario_.name), ", ", finding.count, " times, ", field, "\n", finding.first);
    std::cout << scenario_.name << ": " << truth_.messages.size() << " messages, " << lies_.size() << " lies, "
              << tried_ << " tried, " << untold_ << " untold, " << errors_ << " errors, " << watch_.seconds() << " s"
              << std::endl;
  }

 private:
  struct Finding {
    int count = 0;
    std::string first;
  };

  void try_lies() {
    const auto every =
        static_cast<std::size_t>(told("TROUPE_MUTATIONS_EVERY", std::getenv("TROUPE_SOAK") != nullptr ? 1 : 50));
    const std::string only = told_text("TROUPE_MUTATIONS_ONLY");
    for (std::size_t i = next_.fetch_add(every); i < lies_.size(); i = next_.fetch_add(every)) {
      if (lies_[i].text().find(only) == std::string::npos) continue;
      if (std::getenv("TROUPE_MUTATIONS_TRACE") != nullptr)
        std::cerr << "lie " + std::to_string(i) + ": " + lies_[i].text() + "\n" << std::flush;
      try_lie(lies_[i]);
    }
  }

  /// Runs with one lie. A bad outcome is tried again, alone and with longer deadlines, because the machine may have
  /// been busy.
  void try_lie(const Lie& lie) {
    std::shared_lock beside(alone_);
    Ending outcome = run_watched(lie, 1);
    beside.unlock();
    std::string problem = problem_of(outcome, lie, truth_);
    if (!problem.empty() && outcome.escaped.empty() && problem != kWrongResult && problem != kWrongFile) {
      const std::lock_guard alone(alone_);
      outcome = run_watched(lie, 10);
      problem = problem_of(outcome, lie, truth_);
    }
    note(lie, outcome, problem);
  }

  Ending run_watched(const Lie& lie, int patience) const {
    const Watchdog watchdog(std::string(scenario_.name) + ", " + lie.text());
    return run_here(scenario_, lie, truth_, patience);
  }

  void note(const Lie& lie, const Ending& outcome, const std::string& problem) {
    const std::lock_guard lock(mutex_);
    if (!told_text("TROUPE_MUTATIONS_ONLY").empty()) std::cout << lie.text() << "\n  " << outcome.text() << std::endl;
    ++tried_;
    if (outcome.change.empty() && !outcome.error) ++untold_;
    errors_ += outcome.error ? 1 : 0;
    if (problem.empty()) return;
    const char* const way = lie.spot.direction == Direction::to_driver ? "from member, " : "to member, ";
    Finding& finding = findings_[way + lie.field() + ": " + problem];
    if (finding.count++ == 0) finding.first = lie.text() + "\n  " + outcome.text();
  }

  const Stopwatch watch_;
  const Scenario& scenario_;
  const Truth truth_;
  const std::vector<Lie> lies_;
  std::atomic<std::size_t> next_{0};
  std::shared_mutex alone_;
  std::mutex mutex_;
  std::map<std::string, Finding> findings_;  ///< by field and problem, with the first lie
  int tried_ = 0, errors_ = 0;
  int untold_ = 0;  ///< lies about messages that did not occur
};

template <class... Each>
void add_all(std::set<std::string>& kinds, std::tuple<Each...>* /*of*/) {
  (kinds.emplace(name_of_type<Each>()), ...);
}

/// Kinds of messages that no scenario sends reliably, with reasons.
const std::map<std::string, std::string, std::less<>>& kinds_left_out() {
  static const std::map<std::string, std::string, std::less<>> reasons{
      {"Abandon", "it goes to stragglers and has no fields of its own"},
      {"Stop", "it goes to workers in the driver's process"},
  };
  return reasons;
}

/// Checks that the scenarios send all other kinds.
void check_kinds(const std::set<std::string>& sent) {
  std::set<std::string> all;
  add_all(all, static_cast<ToDriver*>(nullptr));
  add_all(all, static_cast<ToNode*>(nullptr));
  add_all(all, static_cast<ToWorker*>(nullptr));
  for (const std::string& kind : all) {
    INFO(kind);
    CHECK(sent.contains(kind) != kinds_left_out().contains(kind));
  }
}

}  // namespace

TEST_CASE(
    "a message with one changed field leads to the right result or to an error that blames the sender or no member") {
  const std::string wanted = told_text("TROUPE_MUTATIONS_SCENARIO");
  std::set<std::string> kinds;
  for (const Scenario& scenario : scenarios())
    if (wanted.empty() || wanted == scenario.name) {
      Trial trial(scenario);
      trial.run();
      trial.report();
      trial.add_kinds(kinds);
    }
  if (wanted.empty()) check_kinds(kinds);
}
