#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mutation/scenarios.hpp"
#include "mutation/tamper.hpp"
#include "troupe/error.hpp"

namespace troupe_test {

/// What a run has come to.
struct Ending {
  std::string bytes;  ///< of a run that ended well
  Files files;        ///< in its folder, however it ended
  std::optional<troupe::Error> error;
  std::string escaped;  ///< what must not be in any case: another exception, a process that crashed
  std::string change;   ///< of the message
  bool hangs = false;   ///< something that took part
  double seconds = 0;
  std::size_t growth = 0;  ///< of this process's memory meanwhile, at its largest

  /// Notes what a run returns or throws.
  template <class Run>
  void note(const Run& run) {
    try {
      bytes = run();
    } catch (const troupe::Error& thrown) {
      error = thrown;
    } catch (const std::exception& thrown) {
      escaped = std::string("it throws what is no troupe::Error: ") + thrown.what();
    }
  }
  std::string text() const;
};

/// What scenarios come to when nobody lies, and what is said then.
struct Truth {
  int nodes = 0;
  std::string bytes = {};
  Files files = {};
  std::map<Spot, caf::message> messages = {};
  std::vector<caf::message> of_another = {};  ///< run
};

/// Returns all lies about some messages of each kind: the first and the last one of each member.
std::vector<Lie> lies_about(const Truth& truth);

inline constexpr const char* kWrongResult = "a wrong result";
inline constexpr const char* kWrongFile = "a wrong file";

/// Returns what is wrong with an outcome; empty: nothing.
std::string problem_of(const Ending& outcome, const Lie& lie, const Truth& truth);

}  // namespace troupe_test
