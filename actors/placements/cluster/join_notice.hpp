#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"

namespace troupe {

/// The log lines of a driver that waits for nodes. There are none if all nodes join soon. Otherwise a line lists how
/// many nodes are missing and which have joined, after each change and every ten seconds. A final line lists the nodes
/// of the run.
class JoinNotice {
 public:
  /// @param wanted number of nodes, which dial `listen`
  JoinNotice(std::string listen, int wanted, Clock::time_point now);

  /// Returns the line to log now, if any, while nodes are missing.
  /// @param joined names of the nodes that have joined
  std::optional<std::string> look(const std::vector<std::string>& joined, Clock::time_point now);
  /// Returns the final line, if there was a line before.
  std::optional<std::string> end(const std::vector<std::string>& joined) const;

 private:
  std::string listen_;
  std::size_t wanted_;
  Clock::time_point due_;
  bool said_ = false;
  std::vector<std::string> last_;  ///< the nodes that had joined at the last line
};

}  // namespace troupe
