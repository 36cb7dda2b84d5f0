#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "collectives/group/collective.hpp"
#include "runtime/clock.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Why a rank comes no more.
struct Absence {
  ErrorCode code = ErrorCode::worker_lost;
  int rank = -1;
  std::string text;  ///< such as "was lost: its process was ended by signal 9"
};

/// Asks whether a rank does not come, so that nobody is to wait for it.
using AskAbsent = std::function<std::optional<Absence>()>;

/// Who a rank is, for errors.
struct RankName {
  int worker = -1;
  std::string node;
};

/// Where the ranks of one machine meet, in memory that all have mapped: each says what it calls, and waits for the
/// others. What others write is believed for errors only, and for who has come.
class Meeting {
 public:
  static std::size_t bytes(int size);
  /// @param memory of `bytes(size)`, which begins with zeros
  Meeting(std::span<std::byte> memory, int rank, int size, const RankName& name);

  /// This rank calls that next.
  void call(const Collective& call);
  /// Returns when all ranks have come as often as this one. @throws Error naming who is missing
  /// @param absent asked now and then: a rank that does not come, for whom nobody is to wait
  void meet(const Deadline& deadline, const AskAbsent& absent = {});
  /// @throws Error invalid_argument unless all ranks called the same; each gets it. For after `meet`
  void check_calls() const;
  /// Which of two places for a call's bytes is this call's, since others may still read those of the one before.
  std::size_t parity() const { return calls_ % 2; }

  /// This rank comes no more; who waits for it, now or later, is told.
  void leave(ErrorCode code, const std::string& text);
  /// Nobody waits for anybody any more.
  void break_up(const Absence& absence);

 private:
  struct Record;
  struct RankState;
  struct Header;

  RankState& state(int rank) const;
  void wait(std::uint32_t turn, const Deadline& deadline, const AskAbsent& absent);
  void throw_if_over(std::uint32_t turn) const;
  [[noreturn]] void time_out(std::uint32_t turn);
  Error error_of(ErrorCode code, int rank, const std::string& text) const;
  std::string name_of(int rank) const;
  Record record_of(int rank, std::size_t place) const;

  std::byte* memory_;
  int rank_, size_;
  int spins_;
  std::uint32_t turn_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace troupe
