#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace troupe_test {

/// The point where the model "hold" pauses once. `text` returns the value for `Options::config`.
struct Hold {
  std::size_t size = 30'000;   ///< floats of the model; the second half are statistics
  std::string phase = "none";  ///< "start", "compute", "apply", "evaluate" or "weights"
  int worker = 0;              ///< the worker whose replica pauses
  int step = 0;                ///< compute, apply and evaluate: the number of committed steps at the pause
  std::string folder = "-";    ///< the folder for the files that signal the pause and its end

  std::string text() const;
};

/// Registers "hold": the gradients of NoiseModel, a test set, statistics, and a pause as Hold describes.
void register_hold_model();

/// Waits for the model's pause, calls `act` with the pid of its process, and ends the pause. Returns false on timeout.
bool when_held(const std::string& folder, const std::function<void(pid_t)>& act);

/// Ends the model's pause, also one that has not begun.
void release(const std::string& folder);

}  // namespace troupe_test
