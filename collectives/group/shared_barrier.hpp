#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "collectives/group/call_record.hpp"
#include "collectives/group/communicator.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// Who a rank is, for errors. Of one that nobody knows yet there is no worker.
struct RankName {
  int worker = -1;
  std::string node;
};

/// Who meets.
struct RankLayout {
  int rank = 0;
  int size = 1;      ///< of the group
  Range local = {};  ///< the ranks of this machine
};

/// Where the ranks of one machine meet, in memory that all have mapped: each says what it calls, with a short vector,
/// and waits for the others. What ranks of other machines say comes into the same memory by other ways. What others
/// write is believed for errors only, and for who has come.
class SharedBarrier {
 public:
  /// Of a vector that lies beside the call, in bytes.
  static constexpr std::size_t kPayloadBytes = 16384;

  static std::size_t bytes(int size);
  /// Makes `bytes(size)` ready for all. @param names of all ranks, or none; who comes has its own written
  static void prepare(std::span<std::byte> memory, int size, std::span<const RankName> names = {});
  /// What a rank says at a time lies there: two places, since others may still read what it said before.
  static std::span<std::byte> place(std::span<std::byte> memory, int size, int rank, std::size_t parity);

  /// @param memory that is ready
  SharedBarrier(std::span<std::byte> memory, const RankLayout& layout);
  /// Of this rank, for errors. Once, before it meets anybody.
  void introduce(const RankName& name);

  /// From now on this is asked now and then while the rank waits: a rank that does not come, for whom nobody is to
  /// wait.
  void ask(AskAbsent absent) { absent_ = std::move(absent); }

  const RankLayout& layout() const { return layout_; }
  /// This rank calls that next.
  void call(const Collective& call);
  /// This rank's calls so far.
  std::uint64_t calls() const { return calls_; }
  /// What lies beside the call of a rank, of which this one's may be written between `call` and `meet`.
  std::byte* payload(int rank) const;
  /// All that this rank says with its call, of so long a payload.
  std::span<const std::byte> said(std::size_t payload_bytes) const;

  /// Returns when all ranks of this machine have come as often as this one. @throws Error naming who is missing
  void meet(const Deadline& deadline);
  /// What is wrong where ranks have called something else; each finds the same. For after all have come
  std::optional<Error> different_calls() const;
  /// @throws Error where nobody waits any more
  void throw_if_broken();
  /// Nobody waits any more, for this reason or one that somebody else had before. @throws Error always
  [[noreturn]] void lose(const Absence& absence);
  /// A rank of another machine did not come in time.
  [[noreturn]] void miss(int rank);

  /// This rank comes no more; who waits for it on this machine, now or later, is told.
  void leave(ErrorCode code, const std::string& text);
  /// What ranks of other machines are to be told of that.
  std::span<const std::byte> farewell(ErrorCode code, const std::string& text);
  static std::span<std::byte> farewell_place(std::span<std::byte> memory, int size, int rank);
  /// A rank of another machine has said farewell. @throws Error unless it had come to this rank's call before
  void hear_farewell(int rank);
  /// Nobody waits for anybody any more. From any thread.
  void break_up(const Absence& absence);

 private:
  struct RankState;
  struct Header;

  Header& header() const;
  RankState& state(int rank) const;
  std::size_t parity() const { return calls_ % 2; }
  std::span<std::byte> own_place() const;
  struct Farewell;
  void wait(std::uint32_t turn, const Deadline& deadline);
  void throw_if_over(std::uint32_t turn);
  [[noreturn]] void time_out(std::uint32_t turn);
  AbsentRank error_of(ErrorCode code, int rank, const std::string& text) const;
  std::string name_of(int rank) const;
  CallRecord record_of(int rank, std::size_t parity) const;
  std::string last_of(int rank) const;

  std::span<std::byte> memory_;
  RankLayout layout_;
  AskAbsent absent_;
  int spins_;
  std::uint64_t turn_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace troupe
