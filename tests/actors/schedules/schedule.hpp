#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "actors/schedules/world.hpp"

namespace troupe_test {

/// The runs that schedules disturb, and what these are when nothing disturbs them.
class Repertoire {
 public:
  Repertoire();
  Undisturbed& of(int number) { return undisturbed_[static_cast<std::size_t>(number) % undisturbed_.size()]; }
  /// The toys alternate.
  const Toy& without_clipping(int number) { return of(2 * number).toy(); }

 private:
  std::deque<Toy> toys_;
  std::deque<Undisturbed> undisturbed_;
};

Dangers draw_dangers(Chance& chance);
/// That may come of what goes wrong here. Others, such as protocol, would say that the driver asked for what cannot be.
bool may_come(troupe::ErrorCode code);

/// Runs it and counts it.
/// @return what went as it must not; empty where nothing did
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

/// A run in which things go wrong as its seed says: the driver and all that stands on rounds are the real ones.
/// @param trace what happens, line by line; null: nothing is told
/// @return what went as it must not; empty where nothing did
std::string run_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally, std::ostream* trace = nullptr);
/// The same of Downpour and stale synchronous SGD.
std::string run_asynchronous_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally,
                                      std::ostream* trace = nullptr);
/// Workers on their own clocks die in it, and it is recorded; then it is replayed, and nobody dies.
std::string run_replayed_schedule(std::uint64_t seed, Repertoire& repertoire, Tally& tally,
                                  std::ostream* trace = nullptr);

}  // namespace troupe_test
