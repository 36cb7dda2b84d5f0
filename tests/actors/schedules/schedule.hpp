#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "actors/driver/driver.hpp"
#include "actors/schedules/world.hpp"
#include "support/same_bits.hpp"

namespace troupe_test {

/// The models of all schedules, with their undisturbed runs.
class Repertoire {
 public:
  Repertoire();
  Undisturbed& of(int number) { return undisturbed_[static_cast<std::size_t>(number) % undisturbed_.size()]; }
  /// Returns a toy without clipping. Toys with and without clipping alternate.
  const Toy& without_clipping(int number) { return of(2 * number).toy(); }

 private:
  std::deque<Toy> toys_;
  std::deque<Undisturbed> undisturbed_;
};

Dangers draw_dangers(Chance& chance);
/// Returns whether a fault of a schedule may cause this error. Other errors, such as protocol, mean that the driver
/// sent an invalid request.
bool may_come(troupe::ErrorCode code);

/// @throws Violation unless `holds`
inline void check(bool holds, const std::string& what) {
  if (!holds) throw Violation(what);
}

// Checks of results of a driver against the undisturbed run of the same path.
void check_step(const troupe::StepReport& report, Undisturbed& undisturbed, const Path& path);
void check_evaluation(troupe::Driver& driver, Undisturbed& undisturbed, const Path& path);
void check_weights(troupe::Driver& driver, Undisturbed& undisturbed, const Path& path);

/// Makes a call of a driver. Returns false if it throws an error.
/// @param may_throw returns whether a fault of the schedule may cause this error
template <class AnyWorld, class Call>
bool attempt_call(AnyWorld& world, const std::string& name, troupe::Clock::duration limit, const Call& call,
                  bool (*may_throw)(troupe::ErrorCode) = may_come) {
  world.begin_call(name, limit);
  try {
    call();
    return true;
  } catch (const troupe::Error& error) {
    world.tell(std::string("error: ") + error.what());
    ++world.tally.errors;
    check(may_throw(error.code()), std::string("an unexpected error: ") + error.what());
    return false;
  }
}

/// Runs a schedule and adds its counts to `tally`.
/// @return a description of the violation, or an empty string
template <class AnySchedule>
std::string run_counted(AnySchedule&& schedule, Tally& tally) {
  std::string what;
  try {
    schedule.run();
  } catch (const std::exception& error) {
    what = error.what();
  }
  tally += schedule.tally();
  ++tally.schedules;
  return what;
}

/// Runs a synchronous run with faults that follow from the seed. The driver and all code above rounds are the real
/// ones.
/// @param trace receives one line per event; null: no trace
/// @return a description of the violation, or an empty string
std::string run_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally, std::ostream* trace = nullptr);
/// As run_schedule, for a run in a cluster whose nodes come, go, die and lie.
std::string run_cluster_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally,
                                 std::ostream* trace = nullptr);
/// As run_schedule, for Downpour and stale synchronous SGD.
std::string run_asynchronous_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally,
                                      std::ostream* trace = nullptr);
/// Records an asynchronous run in which workers die, and replays the record without deaths.
std::string run_replayed_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally,
                                  std::ostream* trace = nullptr);

}  // namespace troupe_test
