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

/// A rank's identity, for errors. `worker` is -1 until it is known.
struct RankName {
  int worker = -1;
  std::string node;
};

/// The ranks that meet at a barrier.
struct RankLayout {
  int rank = 0;
  int size = 1;      ///< of the group
  Range local = {};  ///< the ranks of this machine
};

/// A barrier for the ranks of one machine, in memory that all of them have mapped. Each rank writes its call, with a
/// short vector, and waits for the others. The calls of ranks on other machines are received into the same memory. The
/// memory is trusted only for errors and for which ranks have arrived.
class SharedBarrier {
 public:
  /// The maximum size of a vector that is stored next to the call record, in bytes.
  static constexpr std::size_t kPayloadBytes = 16384;

  static std::size_t bytes(int size);
  /// Initializes `bytes(size)` of memory for all ranks.
  /// @param names of all ranks, or empty; each rank overwrites its own name when it arrives
  static void prepare(std::span<std::byte> memory, int size, std::span<const RankName> names = {});
  /// Returns the place of a rank's call and payload. There are two, because other ranks may still read the previous
  /// call.
  static std::span<std::byte> place(std::span<std::byte> memory, int size, int rank, std::size_t parity);

  /// @param memory initialized by `prepare`
  SharedBarrier(std::span<std::byte> memory, const RankLayout& layout);
  /// Sets the name of this rank, for errors. Must be called once, before the first `meet`.
  void introduce(const RankName& name);

  /// From now on calls `absent` from time to time while the rank waits. `absent` returns a rank that will not arrive.
  void ask(AskAbsent absent) { absent_ = std::move(absent); }

  const RankLayout& layout() const { return layout_; }
  /// Begins this rank's next call.
  void call(const Collective& call);
  /// Returns the number of this rank's calls so far.
  std::uint64_t calls() const { return calls_; }
  /// Returns the payload next to a rank's call. This rank may write its own payload between `call` and `meet`.
  std::byte* payload(int rank) const;
  /// Returns this rank's call record and its payload of the given length.
  std::span<const std::byte> said(std::size_t payload_bytes) const;

  /// Returns when all ranks of this machine have called `meet` as often as this rank.
  /// @throws Error that names the missing rank
  void meet(const Deadline& deadline);
  /// Returns an error if ranks have called different collectives. Every rank gets the same result. Must be called after
  /// all ranks have arrived.
  std::optional<Error> different_calls() const;
  /// @throws Error if the group is broken, so that no rank waits any longer
  void throw_if_broken();
  /// Breaks the group for this reason, unless it is already broken for another.
  /// @throws Error always
  [[noreturn]] void lose(const Absence& absence);
  /// Breaks the group because a rank of another machine did not arrive in time.
  [[noreturn]] void miss(int rank);

  /// Announces that this rank no longer takes part. Ranks of this machine that wait for it, now or later, get an error.
  void leave(ErrorCode code, const std::string& text);
  /// Writes this rank's farewell, and returns the bytes to send to ranks of other machines.
  std::span<const std::byte> farewell(ErrorCode code, const std::string& text);
  static std::span<std::byte> farewell_place(std::span<std::byte> memory, int size, int rank);
  /// Reads the farewell of a rank on another machine.
  /// @throws Error if that rank left before this rank's current call
  void hear_farewell(int rank);
  /// Breaks the group: all ranks stop waiting. May be called from any thread.
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
