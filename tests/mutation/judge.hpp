#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mutation/scenarios.hpp"
#include "mutation/tamper.hpp"
#include "troupe/error.hpp"

namespace troupe_test {

/// The outcome of a run.
struct Ending {
  std::string bytes;  ///< the result of a successful run
  Files files;        ///< the files in its folder, after success or failure
  std::optional<troupe::Error> error;
  std::string escaped;  ///< an error that must never occur: another exception, or a process that crashed
  std::string change;   ///< how the message was changed
  bool hangs = false;   ///< whether some part of the run did not end
  double seconds = 0;
  std::size_t growth = 0;  ///< peak growth of this process's memory during the run

  /// Records the result or the exception of a run.
  template <class Run>
  void note(const Run& run) {
    try {
      bytes = run();
    } catch (const troupe::Error& thrown) {
      error = thrown;
    } catch (const std::exception& thrown) {
      escaped = std::string("an exception other than troupe::Error: ") + thrown.what();
    }
  }
  std::string text() const;
};

/// The outcome of a scenario without lies, and its messages.
struct Truth {
  int nodes = 0;
  std::string bytes = {};
  Files files = {};
  std::map<Spot, caf::message> messages = {};
  std::vector<caf::message> of_another = {};  ///< messages of another run
};

/// Returns all lies about the first and the last message of each kind and member.
std::vector<Lie> lies_about(const Truth& truth);

inline constexpr const char* kWrongResult = "a wrong result";
inline constexpr const char* kWrongFile = "a wrong file";

/// Returns the problem of an outcome, or "" if there is none.
std::string problem_of(const Ending& outcome, const Lie& lie, const Truth& truth);

}  // namespace troupe_test
