#include "collectives/group/shared_barrier.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/group/memory.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/processes/futex.hpp"

namespace troupe {
namespace {

constexpr std::size_t kTextBytes = 512;
constexpr std::size_t kNameBytes = 128;
/// The maximum time for which a waiting rank sleeps before it checks again whether ranks have arrived or are missing.
constexpr std::chrono::milliseconds kLooksEvery{100};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct alignas(64) SharedBarrier::RankState {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> left;  ///< 1: the rank has left; `left_code` and `why` contain the reason
  std::uint32_t left_code;
  std::int32_t worker;
  char node[kNameBytes];
  char why[kTextBytes];
};

struct SharedBarrier::Header {
  alignas(64) std::atomic<std::uint64_t> count;
  alignas(64) std::atomic<std::uint32_t> turn;
  alignas(64) std::atomic<std::uint32_t> broken;  ///< 0: the group is usable; 1: a rank writes the reason into the next
                                                  ///< three fields; 2: the group is broken
  std::uint32_t code;
  std::int32_t rank;
  char why[kTextBytes];
};

struct SharedBarrier::Farewell {
  std::uint64_t calls = 0;  ///< number of calls that the rank had made before it left
  std::uint64_t code = 0;
  char why[kTextBytes - 2 * sizeof(std::uint64_t)] = {};
};

std::size_t SharedBarrier::bytes(int size) {
  constexpr std::size_t kBytesOfRank = sizeof(RankState) + sizeof(Farewell) + 2 * (sizeof(CallRecord) + kPayloadBytes);
  return sizeof(Header) + static_cast<std::size_t>(size) * kBytesOfRank;
}

/// Fills `memory` with zeros, which are the initial values of all data except the names of the ranks.
void SharedBarrier::prepare(std::span<std::byte> memory, int size, std::span<const RankName> names) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  static_assert(sizeof(CallRecord) % kLineBytes == 0);
  std::memset(memory.data(), 0, memory.size());
  for (int rank = 0; rank < size; ++rank)
    SharedBarrier(memory, {rank, size, {}})
        .introduce(names.empty() ? RankName{} : names[static_cast<std::size_t>(rank)]);
}

std::span<std::byte> SharedBarrier::place(std::span<std::byte> memory, int size, int rank, std::size_t parity) {
  constexpr std::size_t kPlaceBytes = sizeof(CallRecord) + kPayloadBytes;
  const std::size_t begin = sizeof(Header) + static_cast<std::size_t>(size) * sizeof(RankState);
  return memory.subspan(begin + (2 * static_cast<std::size_t>(rank) + parity) * kPlaceBytes, kPlaceBytes);
}

std::span<std::byte> SharedBarrier::farewell_place(std::span<std::byte> memory, int size, int rank) {
  const std::size_t begin = bytes(size) - static_cast<std::size_t>(size - rank) * sizeof(Farewell);
  return memory.subspan(begin, sizeof(Farewell));
}

SharedBarrier::SharedBarrier(std::span<std::byte> memory, const RankLayout& layout)
    : memory_(memory), layout_(layout), spins_(usable_cores() >= static_cast<int>(layout.local.size()) ? 4000 : 0) {}

void SharedBarrier::introduce(const RankName& name) {
  state(layout_.rank).worker = name.worker;
  write_text(state(layout_.rank).node, name.node);
}

SharedBarrier::Header& SharedBarrier::header() const { return *reinterpret_cast<Header*>(memory_.data()); }

SharedBarrier::RankState& SharedBarrier::state(int rank) const {
  return *(reinterpret_cast<RankState*>(memory_.data() + sizeof(Header)) + rank);
}

std::span<std::byte> SharedBarrier::own_place() const { return place(memory_, layout_.size, layout_.rank, parity()); }

std::byte* SharedBarrier::payload(int rank) const {
  return place(memory_, layout_.size, rank, parity()).data() + sizeof(CallRecord);
}

std::span<const std::byte> SharedBarrier::said(std::size_t payload_bytes) const {
  return own_place().first(sizeof(CallRecord) + payload_bytes);
}

void SharedBarrier::call(const Collective& call) {
  ++calls_;
  const CallRecord record(call, calls_);
  std::memcpy(own_place().data(), &record, sizeof record);
}

CallRecord SharedBarrier::record_of(int rank, std::size_t parity) const {
  CallRecord record;
  std::memcpy(&record, place(memory_, layout_.size, rank, parity).data(), sizeof record);
  return record;
}

void SharedBarrier::meet(const Deadline& deadline) {
  const std::uint64_t all = ++turn_ * layout_.local.size();
  const auto turn = static_cast<std::uint32_t>(turn_);  // the counter in shared memory has 32 bits
  state(layout_.rank).arrived.store(turn, std::memory_order_release);
  if (header().count.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
    header().turn.store(turn, std::memory_order_release);
    wake_all(header().turn);
  } else {
    wait(turn, deadline);
  }
}

void SharedBarrier::wait(std::uint32_t turn, const Deadline& deadline) {
  const auto here = [&] { return header().turn.load(std::memory_order_acquire) == turn; };
  for (int spin = 0; spin < spins_; ++spin) {
    if (here()) return;
    relax();
  }
  while (!here()) {
    throw_if_over(turn);
    if (deadline.passed()) time_out(turn);
    sleep_while(header().turn, turn - 1, std::min(kLooksEvery, deadline.left()));
  }
}

void SharedBarrier::throw_if_broken() {
  if (const auto missing = absent_ ? absent_() : std::nullopt) break_up(*missing);
  if (header().broken.load(std::memory_order_acquire) == 2)
    throw error_of(static_cast<ErrorCode>(header().code), header().rank, read_text(header().why));
}

void SharedBarrier::throw_if_over(std::uint32_t turn) {
  throw_if_broken();
  for (std::size_t local = layout_.local.begin; local < layout_.local.end; ++local) {
    const int rank = static_cast<int>(local);
    const RankState& other = state(rank);
    if (other.left.load(std::memory_order_acquire) == 0 || other.arrived.load(std::memory_order_acquire) == turn)
      continue;
    throw error_of(static_cast<ErrorCode>(other.left_code), rank, read_text(other.why));
  }
}

void SharedBarrier::time_out(std::uint32_t turn) {
  for (std::size_t local = layout_.local.begin; local < layout_.local.end; ++local)
    if (state(static_cast<int>(local)).arrived.load(std::memory_order_acquire) != turn) miss(static_cast<int>(local));
  throw error_of(ErrorCode::timeout, -1, "the ranks' shared memory is inconsistent");
}

std::string SharedBarrier::last_of(int rank) const {
  const CallRecord records[2] = {record_of(rank, 0), record_of(rank, 1)};
  return records[records[0].number < records[1].number ? 1 : 0].text();
}

void SharedBarrier::miss(int rank) {
  lose({ErrorCode::timeout, rank, "did not arrive in time; last call: " + last_of(rank)});
}

void SharedBarrier::lose(const Absence& absence) {
  break_up(absence);
  throw_if_broken();
  throw error_of(absence.code, absence.rank, absence.text);
}

std::string SharedBarrier::name_of(int rank) const {
  const std::string node = read_text(state(rank).node);
  return "rank " + std::to_string(rank) + (node.empty() ? "" : " (" + node + ')');
}

AbsentRank SharedBarrier::error_of(ErrorCode code, int rank, const std::string& text) const {
  const bool known = rank >= 0 && rank < layout_.size;
  const CallRecord own = record_of(layout_.rank, parity());
  const ErrorCode sane = code > ErrorCode::in_use ? ErrorCode::worker_lost : code;
  Where where{.phase = own.phase()};
  if (known) {
    where.worker = state(rank).worker;
    where.node = read_text(state(rank).node);
  }
  return {sane, own.text() + ": " + (known ? name_of(rank) + ' ' : "") + text, where, known ? rank : -1};
}

std::optional<Error> SharedBarrier::different_calls() const {
  const CallRecord own = record_of(layout_.rank, parity());
  bool same = true;
  for (int rank = 0; rank < layout_.size; ++rank) {
    const CallRecord record = record_of(rank, parity());
    if (record.number != calls_) throw error_of(ErrorCode::protocol, rank, "arrived without a call record");
    same = same && record.same_call(own);
  }
  if (same) return std::nullopt;
  std::vector<CallRecord> records;
  std::vector<std::string> names;
  for (int rank = 0; rank < layout_.size; ++rank) {
    records.push_back(record_of(rank, parity()));
    names.push_back(name_of(rank));
  }
  return troupe::different_calls(records, names, layout_.rank);
}

void SharedBarrier::leave(ErrorCode code, const std::string& text) {
  RankState& own = state(layout_.rank);
  own.left_code = static_cast<std::uint32_t>(code);
  write_text(own.why, text);
  own.left.store(1, std::memory_order_release);
  wake_all(header().turn);
}

std::span<const std::byte> SharedBarrier::farewell(ErrorCode code, const std::string& text) {
  Farewell words;
  words.calls = calls_;
  words.code = static_cast<std::uint64_t>(code);
  write_text(words.why, text);
  const std::span<std::byte> place = farewell_place(memory_, layout_.size, layout_.rank);
  std::memcpy(place.data(), &words, sizeof words);
  return place;
}

void SharedBarrier::hear_farewell(int rank) {
  Farewell words;
  std::memcpy(&words, farewell_place(memory_, layout_.size, rank).data(), sizeof words);
  if (words.calls >= calls_) return;
  const auto code = static_cast<ErrorCode>(std::min<std::uint64_t>(words.code, 255));
  lose({code, rank, read_text(words.why)});
}

void SharedBarrier::break_up(const Absence& absence) {
  std::uint32_t whole = 0;
  if (!header().broken.compare_exchange_strong(whole, 1)) return;
  header().code = static_cast<std::uint32_t>(absence.code);
  header().rank = absence.rank;
  write_text(header().why, absence.text);
  header().broken.store(2, std::memory_order_release);
  wake_all(header().turn);
}

}  // namespace troupe
