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

/// The name of a rank in errors. `worker` is -1 if the number of the rank's worker is not known.
struct RankName {
  int worker = -1;
  std::string node;
};

/// The number of a rank, the size of its group, and the ranks that the rank meets at a barrier.
struct RankLayout {
  int rank = 0;
  int size = 1;      ///< number of ranks in the group
  Range local = {};  ///< the ranks of this machine, which meet at the barrier
};

/// One rank's object for a barrier of the ranks of one machine, in memory that all these ranks have mapped. Each rank
/// writes its call record, followed by a payload (a short vector), and waits for the other ranks. The records of ranks
/// on other machines arrive in the same memory. Other processes may write anything into the memory. So the data in the
/// memory, except for payloads, is used only to decide which ranks have arrived, and for error messages.
class SharedBarrier {
 public:
  /// The maximum size of a payload, in bytes.
  static constexpr std::size_t kPayloadBytes = 16384;

  /// Returns the number of bytes of memory that a group of `size` ranks needs.
  static std::size_t bytes(int size);
  /// Initializes `memory`. Must be called once, before any rank uses the memory.
  /// @param memory has `bytes(size)` bytes
  /// @param names by rank: the name of the rank. May be empty; then each rank of this machine sets its own name with
  /// `introduce`
  static void prepare(std::span<std::byte> memory, int size, std::span<const RankName> names = {});
  /// Returns the part of `memory` for the call record and the payload of `rank`. Each rank has two such places and
  /// alternates between them, because other ranks may still read the record of its previous call.
  /// @param parity the number of the rank's call modulo 2
  static std::span<std::byte> place(std::span<std::byte> memory, int size, int rank, std::size_t parity);

  /// @param memory must have been initialized by `prepare`
  SharedBarrier(std::span<std::byte> memory, const RankLayout& layout);
  /// Sets the name of this rank, for error messages. Must be called once, before the first `meet`.
  void introduce(const RankName& name);

  /// Sets a function that this rank calls repeatedly while it waits. The function returns a rank that will not arrive,
  /// if one is known.
  void ask(AskAbsent absent) { absent_ = std::move(absent); }

  const RankLayout& layout() const { return layout_; }
  /// Begins this rank's next call: writes the record of `call`. Does not wait.
  void call(const Collective& call);
  /// Returns the number of this rank's calls so far.
  std::uint64_t calls() const { return calls_; }
  /// Returns the memory for the payload of the current call of `rank`. This rank may write its own payload after `call`
  /// and before `meet`. It may read the payload of another rank after all ranks have arrived.
  std::byte* payload(int rank) const;
  /// Returns the bytes that must be sent to other machines: this rank's current call record, and the first
  /// `payload_bytes` bytes of its payload.
  std::span<const std::byte> said(std::size_t payload_bytes) const;

  /// Blocks until all ranks of this machine have called `meet` as often as this rank.
  /// @throws Error that names the missing rank, if a rank has left, is lost, or does not arrive before the deadline
  void meet(const Deadline& deadline);
  /// Returns an error if the current calls of the ranks do not match, and std::nullopt otherwise. All ranks get the
  /// same result. Must be called after all ranks have arrived.
  /// @throws Error protocol if a rank has arrived, but has not written a record of its call
  std::optional<Error> different_calls() const;
  /// Throws if the group is broken, or if the function that was set with `ask` returns a missing rank.
  /// @throws Error that names the missing rank
  void throw_if_broken();
  /// Breaks the group with `absence` as the reason, unless the group is already broken. Then throws the error with
  /// which the group was broken.
  /// @throws Error always
  [[noreturn]] void lose(const Absence& absence);
  /// Breaks the group because `rank` did not arrive in time, and throws the error.
  /// @throws Error timeout, or the earlier error if the group is already broken
  [[noreturn]] void miss(int rank);

  /// Announces to the ranks of this machine that this rank no longer takes part. If a rank of this machine waits for
  /// this rank, now or later, it gets an error with `code` and `text`.
  void leave(ErrorCode code, const std::string& text);
  /// Writes this rank's farewell into the shared memory, and returns the farewell's bytes, which must be sent to other
  /// machines. A farewell announces that a rank no longer takes part. It contains `code`, `text` and the number of
  /// calls that the rank has made.
  std::span<const std::byte> farewell(ErrorCode code, const std::string& text);
  /// Returns the part of `memory` for the farewell of `rank`.
  static std::span<std::byte> farewell_place(std::span<std::byte> memory, int size, int rank);
  /// Reads the farewell of `rank`, a rank on another machine. The farewell must have arrived.
  /// @throws Error if `rank` left before it made the call that this rank makes at present
  void hear_farewell(int rank);
  /// Breaks the group with `absence` as the reason, unless the group is already broken. All ranks of this machine that
  /// wait stop waiting and throw. May be called from any thread.
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
