#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "runtime/clock.hpp"

namespace troupe::net {

/// Logs refusals: callers at a gate, data and control connections. Writes one line per kind of refusal. Repetitions
/// with the same host and reason are counted, and logged once a minute. Memory is bounded: hosts and reasons beyond
/// `kKinds` are counted together. Makes texts printable. Thread-safe.
class RefusalLog {
 public:
  static constexpr std::size_t kKinds = 64;
  static constexpr std::chrono::seconds kSilence{60};

  RefusalLog() = default;
  RefusalLog(const RefusalLog&) = delete;
  RefusalLog& operator=(const RefusalLog&) = delete;
  /// Logs the pending counts.
  ~RefusalLog();

  /// @param who such as "10.0.0.3:4711". @param host the part that identifies repetitions.
  void refused(const std::string& who, const std::string& host, const std::string& why);
  /// For a connection that had been accepted. @param what such as "a data connection of alice"
  void dropped(const std::string& what, const std::string& why);
  /// Logs and forgets entries that were first seen more than `kSilence` ago. Call this regularly.
  void tick(Clock::time_point now);

 private:
  struct Seen {
    Clock::time_point first;
    std::size_t more = 0;
  };
  using Kind = std::tuple<std::string, std::string, std::string>;  ///< action, host, reason

  void note(const std::string& who, Kind kind);
  void forget_until(Clock::time_point now);
  static void tell(const Kind& kind, const Seen& seen);

  std::mutex mutex_;
  std::map<Kind, Seen> seen_;
};

}  // namespace troupe::net
