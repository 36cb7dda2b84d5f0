#include <doctest/doctest.h>

#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <sstream>
#include <string>

#include "actors/schedules/schedule.hpp"
#include "troupe/log.hpp"

using namespace troupe_test;

namespace {

#if defined(TROUPE_SANITIZED)
constexpr std::uint64_t kSchedules = 3'000;
#else
constexpr std::uint64_t kSchedules = 100'000;
#endif
/// The number of failed schedules that are printed.
constexpr int kMostTold = 5;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Drops warnings, of which thousands of simulated faults would print too many.
struct Quiet {
  Quiet() { troupe::set_log_level(troupe::LogLevel::error); }
  ~Quiet() { troupe::set_log_level(troupe::LogLevel::info); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

// TROUPE_SCHEDULE=SEED replays one schedule and prints its events. TROUPE_SCHEDULES=N runs N schedules, starting with
// seed TROUPE_FIRST_SCHEDULE.
template <class Run>
Tally run_all(std::uint64_t otherwise, const Run& run) {
  Repertoire repertoire;
  Tally tally;
  if (const std::uint64_t seed = number_from("TROUPE_SCHEDULE", 0); seed != 0) {
    CHECK(run(seed, repertoire, tally, &std::cout) == "");
    return {};
  }
  const std::uint64_t first = number_from("TROUPE_FIRST_SCHEDULE", 1);
  const std::uint64_t count = number_from("TROUPE_SCHEDULES", otherwise);
  int wrong = 0;
  for (std::uint64_t seed = first; seed < first + count && wrong < kMostTold; ++seed) {
    const std::string what = run(seed, repertoire, tally, nullptr);
    if (what.empty()) continue;
    ++wrong;
    FAIL_CHECK("schedule " << seed << ": " << what << " (TROUPE_SCHEDULE=" << seed << " replays it)");
  }
  return wrong > 0 ? Tally() : tally;
}

/// Checks that each kind of event happened often. Otherwise the test would prove nothing.
void check_often(const Tally& tally, std::initializer_list<std::int64_t> counts) {
  if (tally.schedules == 0) return;
  MESSAGE(tally.schedules << " schedules: " << tally.commits << " steps committed, " << tally.repairs << " repaired, "
                          << tally.left_out << " with a worker left out, " << tally.errors << " errors; "
                          << tally.deaths << " deaths, " << tally.hangs << " hangs, " << tally.pauses << " pauses");
  for (const std::int64_t each : counts) CHECK(each * 100 > tally.schedules);
}

}  // namespace

TEST_CASE("whatever dies, hangs, is late or arrives twice, a run has one lineage, and every call ends") {
  const Tally tally = run_all(kSchedules, run_schedule);
  check_often(tally, {tally.commits, tally.repairs, tally.redistributed, tally.resized, tally.left_out, tally.errors,
                      tally.deaths, tally.hangs, tally.pauses, tally.failures, tally.repeats, tally.stillborn,
                      tally.mute, tally.echoes});
}

TEST_CASE("whatever dies, each gradient of an asynchronous run counts once, and every call ends") {
  const Tally tally = run_all(kSchedules / 4, run_asynchronous_schedule);
  check_often(tally, {tally.commits, tally.repairs, tally.left_out, tally.errors, tally.deaths, tally.hangs,
                      tally.pauses, tally.failures, tally.repeats, tally.stillborn, tally.mute, tally.echoes});
}

// 100,000 schedules take 150 s. They run if TROUPE_SOAK is set in the environment.
TEST_CASE("whichever nodes come, go, die and lie, a run in a cluster has one lineage, and every call ends") {
  const Quiet quiet;
  const Tally tally =
      run_all(std::getenv("TROUPE_SOAK") != nullptr ? kSchedules : kSchedules / 4, run_cluster_schedule);
  check_often(tally, {tally.commits, tally.repairs, tally.errors, tally.deaths, tally.hangs, tally.pauses,
                      tally.failures, tally.stillborn, tally.mute, tally.copies, tally.replayed, tally.joined,
                      tally.left, tally.wiped, tally.lies});
}

TEST_CASE("a record can be replayed after any deaths, also of all workers at once") {
  const Tally tally = run_all(kSchedules / 50, run_replayed_schedule);
  check_often(tally, {tally.commits, tally.repairs, tally.errors, tally.deaths, tally.hangs, tally.pauses,
                      tally.failures, tally.repeats, tally.stillborn, tally.echoes});
}

TEST_CASE("a schedule is deterministic") {
  Repertoire repertoire;
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::ostringstream once;
    std::ostringstream again;
    run_schedule(seed, repertoire, tally, &once);
    run_schedule(seed, repertoire, tally, &again);
    CHECK_FALSE(once.str().empty());
    CHECK(once.str() == again.str());
  }
}
