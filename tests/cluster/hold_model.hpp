#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace troupe_test {

/// Where the model "hold" waits, once. `Options::config` carries its text.
struct Hold {
  std::size_t size = 30'000;   ///< floats of the model; the second half are statistics
  std::string phase = "none";  ///< "start", "compute", "apply", "evaluate" or "weights"
  int worker = 0;              ///< whose replica waits
  int step = 0;                ///< compute, apply and evaluate: at so many committed steps
  std::string folder = "-";    ///< through which it tells that it waits, and is told to go on

  std::string text() const;
};

/// Registers "hold": gradients as NoiseModel's, a test set, statistics, and a pause where Hold says.
void register_hold_model();

/// Waits until the model waits, does something to its process, and lets it go on. False when it never came there.
bool when_held(const std::string& folder, const std::function<void(pid_t)>& act);

}  // namespace troupe_test
