#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "runtime/clock.hpp"

namespace troupe::net {

/// One line on standard error for each kind of refusal. Further ones of the same host and reason are counted, and told
/// once a minute. Bounded, whoever knocks: hosts and reasons beyond `kKinds` count together.
class RefusalLog {
 public:
  static constexpr std::size_t kKinds = 64;
  static constexpr std::chrono::seconds kSilence{60};

  RefusalLog() = default;
  RefusalLog(const RefusalLog&) = delete;
  RefusalLog& operator=(const RefusalLog&) = delete;
  /// Tells what was counted.
  ~RefusalLog();

  /// @param who such as "10.0.0.3:4711"; `host` of it is what counts as the same.
  void refused(const std::string& who, const std::string& host, const std::string& why);
  /// Tells and forgets what was first seen longer than `kSilence` ago. Call it now and then.
  void tick(Clock::time_point now);

 private:
  struct Seen {
    Clock::time_point first;
    std::size_t more = 0;
  };
  using Kind = std::pair<std::string, std::string>;  ///< host, reason

  static void tell(const Kind& kind, const Seen& seen);

  std::map<Kind, Seen> seen_;
};

}  // namespace troupe::net
