#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"

namespace troupe {

/// What a driver says while it waits for nodes: nothing where all come soon, else how many are missing and who is
/// there, after each that joins or leaves and every ten seconds, and at last with whom it begins.
class JoinNotice {
 public:
  /// @param wanted nodes, which dial `listen`
  JoinNotice(std::string listen, int wanted, Clock::time_point now);

  /// The line to say now, if any, while some are missing. @param joined names of those who are there
  std::optional<std::string> look(const std::vector<std::string>& joined, Clock::time_point now);
  /// The last line, where there was one before.
  std::optional<std::string> end(const std::vector<std::string>& joined) const;

 private:
  std::string listen_;
  std::size_t wanted_;
  Clock::time_point due_;
  bool said_ = false;
  std::vector<std::string> last_;  ///< who was there when it was said
};

}  // namespace troupe
