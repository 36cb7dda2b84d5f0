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

/// Identifies a rank in errors. `worker` is -1 while the worker is not known.
struct RankName {
  int worker = -1;
  std::string node;
};

/// The numbers of a rank and of the ranks that it meets at a barrier.
struct RankLayout {
  int rank = 0;
  int size = 1;      ///< number of ranks in the group
  Range local = {};  ///< the ranks of this machine
};

/// One rank's view of a barrier for the ranks of one machine, in memory that all of them have mapped. Each rank writes
/// its call record, followed by a payload (a short vector), and waits for the others. The records of ranks on other
/// machines arrive in the same memory. Another process may write anything into this memory. So control data in it is
/// used only to decide which ranks have arrived, and for error messages.
class SharedBarrier {
 public:
  /// The maximum size of a payload, in bytes.
  static constexpr std::size_t kPayloadBytes = 16384;

  /// Returns the number of bytes of memory for a group of `size` ranks.
  static std::size_t bytes(int size);
  /// Initializes the memory. One rank must do this before any rank uses the memory.
  /// @param memory has `bytes(size)` bytes
  /// @param names the name of each rank, or empty; each rank of this machine may set its own name with `introduce`
  static void prepare(std::span<std::byte> memory, int size, std::span<const RankName> names = {});
  /// Returns the place of a rank's call record and payload. Each rank has two places and alternates between them,
  /// because other ranks may still read the previous call.
  /// @param parity the number of the call modulo 2
  static std::span<std::byte> place(std::span<std::byte> memory, int size, int rank, std::size_t parity);

  /// @param memory must have been initialized by `prepare`
  SharedBarrier(std::span<std::byte> memory, const RankLayout& layout);
  /// Sets the name of this rank, for errors. Must be called once, before the first `meet`.
  void introduce(const RankName& name);

  /// Sets a function that this rank calls repeatedly while it waits. It returns a rank that will not arrive, if one is
  /// known.
  void ask(AskAbsent absent) { absent_ = std::move(absent); }

  const RankLayout& layout() const { return layout_; }
  /// Begins this rank's next call: writes its call record. Does not wait.
  void call(const Collective& call);
  /// Returns the number of this rank's calls so far.
  std::uint64_t calls() const { return calls_; }
  /// Returns the memory of the payload of a rank's current call. This rank may write its own payload between `call` and
  /// `meet`, and read the payloads of other ranks after all ranks have arrived.
  std::byte* payload(int rank) const;
  /// Returns this rank's current call record and the first `payload_bytes` bytes of its payload, to send to other
  /// machines.
  std::span<const std::byte> said(std::size_t payload_bytes) const;

  /// Blocks until all ranks of this machine have called `meet` as often as this rank.
  /// @throws Error if a rank is missing; the error names the rank
  void meet(const Deadline& deadline);
  /// Returns an error if the current calls of the ranks do not match; std::nullopt otherwise. All ranks detect the same
  /// difference. Must be called after all ranks have arrived.
  /// @throws Error protocol if a rank has arrived without a record of its call
  std::optional<Error> different_calls() const;
  /// Throws if the group is broken, or if the function set by `ask` reports a missing rank.
  /// @throws Error that names the missing rank
  void throw_if_broken();
  /// Breaks the group with `absence` as the reason, unless the group is already broken. Then throws the error of the
  /// group.
  /// @throws Error always
  [[noreturn]] void lose(const Absence& absence);
  /// Breaks the group because `rank` did not arrive in time.
  /// @throws Error always
  [[noreturn]] void miss(int rank);

  /// Announces that this rank no longer takes part. Ranks of this machine that wait for this rank, now or later, get an
  /// error with `code` and `text`.
  void leave(ErrorCode code, const std::string& text);
  /// Writes this rank's farewell, which contains `code`, `text` and the number of its calls so far. Returns the bytes
  /// of the farewell, to send to other machines.
  std::span<const std::byte> farewell(ErrorCode code, const std::string& text);
  /// Returns the place of a rank's farewell in the memory.
  static std::span<std::byte> farewell_place(std::span<std::byte> memory, int size, int rank);
  /// Reads the farewell of a rank on another machine, which must have arrived.
  /// @throws Error if that rank left before it made this rank's current call
  void hear_farewell(int rank);
  /// Breaks the group with `absence` as the reason, unless the group is already broken. All ranks of this machine stop
  /// waiting and throw. May be called from any thread.
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
