#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"

namespace troupe {

/// Creates the log lines of a driver that waits for nodes to join. If all nodes join within two seconds, there are no
/// lines. Otherwise, lines state how many nodes are missing and which nodes have joined. The first line comes after two
/// seconds. Another line comes after each change, and ten seconds after the previous line. A final line lists the nodes
/// of the run.
class JoinNotice {
 public:
  /// @param listen the address to which nodes connect
  /// @param wanted the number of nodes
  /// @param now the current time
  JoinNotice(std::string listen, int wanted, Clock::time_point now);

  /// Returns the line to log now, or std::nullopt if no line is due. Must be called regularly while nodes are missing.
  /// @param joined the names of the nodes that have joined
  std::optional<std::string> look(const std::vector<std::string>& joined, Clock::time_point now);
  /// Returns the final line, or std::nullopt if `look` has never returned a line.
  std::optional<std::string> end(const std::vector<std::string>& joined) const;

 private:
  std::string listen_;
  std::size_t wanted_;
  Clock::time_point due_;
  bool said_ = false;
  std::vector<std::string> last_;  ///< the nodes that the last line lists
};

}  // namespace troupe
