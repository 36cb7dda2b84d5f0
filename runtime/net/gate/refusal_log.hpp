#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "runtime/clock.hpp"

namespace troupe::net {

/// Logs refused callers of a gate, and dropped data and control connections. Two events are of the same kind if action
/// (refused or dropped), host and reason are the same. Logs a line for the first event of a kind. Further events of
/// this kind are only counted, and the count is logged after a minute. At most `kKinds` kinds are remembered; events of
/// further kinds are counted together. Makes all texts printable. Thread-safe.
class RefusalLog {
 public:
  static constexpr std::size_t kKinds = 64;
  static constexpr std::chrono::seconds kSilence{60};  ///< the time for which further events of a kind are only counted

  RefusalLog() = default;
  RefusalLog(const RefusalLog&) = delete;
  RefusalLog& operator=(const RefusalLog&) = delete;
  /// Logs the counts of events that were not logged yet.
  ~RefusalLog();

  /// Records that a caller was refused.
  /// @param who the caller's address with the port, such as "10.0.0.3:4711"
  /// @param host the caller's address without the port, such as "10.0.0.3"; refusals of the same host count as
  /// repetitions
  /// @param why the reason
  void refused(const std::string& who, const std::string& host, const std::string& why);
  /// Records that an accepted connection was dropped, for the reason `why`.
  /// @param what the connection, such as "a data connection of alice"
  void dropped(const std::string& what, const std::string& why);
  /// Logs the counts of all kinds of events whose first event was at least `kSilence` ago, and forgets these kinds. The
  /// owner must call this function regularly.
  void tick(Clock::time_point now);

 private:
  struct Seen {
    Clock::time_point first;
    std::size_t more = 0;  ///< number of further events, which were not logged
  };
  using Kind = std::tuple<std::string, std::string, std::string>;  ///< action, host, reason

  void note(const std::string& who, Kind kind);
  void forget_until(Clock::time_point now);
  static void tell(const Kind& kind, const Seen& seen);

  std::mutex mutex_;
  std::map<Kind, Seen> seen_;
};

}  // namespace troupe::net
