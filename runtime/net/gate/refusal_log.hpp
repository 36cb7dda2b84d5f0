#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "runtime/clock.hpp"

namespace troupe::net {

/// One line in the log for each kind of refusal, whatever was refused: callers at a gate, data and control
/// connections. Further ones of the same host and reason are counted, and told once a minute. Bounded, whoever knocks:
/// hosts and reasons beyond `kKinds` count together. Texts are made printable. For use by several threads.
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
  /// Of what had been taken before. @param what such as "a data connection of alice"
  void dropped(const std::string& what, const std::string& why);
  /// Tells and forgets what was first seen longer than `kSilence` ago. Call it now and then.
  void tick(Clock::time_point now);

 private:
  struct Seen {
    Clock::time_point first;
    std::size_t more = 0;
  };
  using Kind = std::tuple<std::string, std::string, std::string>;  ///< done, to whom, reason

  void note(const std::string& who, Kind kind);
  void forget_until(Clock::time_point now);
  static void tell(const Kind& kind, const Seen& seen);

  std::mutex mutex_;
  std::map<Kind, Seen> seen_;
};

}  // namespace troupe::net
