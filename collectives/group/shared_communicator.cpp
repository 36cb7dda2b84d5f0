#include "collectives/group/shared_communicator.hpp"

#include <algorithm>
#include <utility>

#include "collectives/group/memory.hpp"
#include "runtime/clock.hpp"

namespace troupe {
namespace {

constexpr std::size_t kMostChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastChunkBytes = std::size_t{1} << 16;
/// The desired total size in bytes of the blocks of all ranks (see Staging). The minimum and maximum size of a block,
/// kLeastChunkBytes and kMostChunkBytes, take precedence.
constexpr std::size_t kChunksBytes = std::size_t{32} << 20;

std::size_t shared_piece_bytes(int size) {
  const auto ranks = static_cast<std::size_t>(size);
  return rounded_up(std::clamp(kChunksBytes / ranks, kLeastChunkBytes, kMostChunkBytes) / ranks, kLineBytes);
}

constexpr std::chrono::milliseconds kAsksEvery{100};

void throw_if_absent(const AskAbsent& absent) {
  if (const auto missing = absent ? absent() : std::nullopt)
    throw AbsentRank(missing->code,
                     "a rank did not arrive: rank " + std::to_string(missing->rank) + ' ' + missing->text, {},
                     missing->rank);
}

/// Calls `absent` repeatedly until the deadline. If `absent` is empty, returns at once.
/// @throws AbsentRank if `absent` returns a missing rank
void wait_for_absence(const Deadline& deadline, const AskAbsent& absent) {
  for (; absent && !deadline.passed(); Clock::sleep_for(std::min(kAsksEvery, deadline.left()))) throw_if_absent(absent);
}

/// Returns an error worker_lost that contains the message of `error`, an error about missing memory. The store removes
/// memory when the rank that created it ends, so missing memory means that this rank is lost.
Error maker_lost(const Error& error) {
  return {ErrorCode::worker_lost, "the rank that created the group's memory has ended: " + error.message(),
          error.where()};
}

}  // namespace

SharedCommunicator::SharedCommunicator(std::shared_ptr<StoreClient> store, const Place& place, const AskAbsent& absent)
    : store_(std::move(store)), place_(place) {
  try {
    map(absent);
    collectives_.emplace(
        *barrier_, nullptr, [this] { return map_staging(); }, place_.timeout);
    collectives_->begin(absent);
    said_ = false;
    store_->release(said_id());
  } catch (...) {
    forget();
    throw;
  }
}

SharedCommunicator::~SharedCommunicator() { forget(); }

void SharedCommunicator::forget() noexcept {
  collectives_.reset();
  barrier_.reset();
  release(place_.id);
  if (std::exchange(said_, false)) release(said_id());
  if (std::exchange(staging_, nullptr)) release(staging_id());
  mapping_.reset();
}

void SharedCommunicator::release(const ObjectId& id) noexcept {
  try {
    store_->release(id);
  } catch (const Error&) {  // the store is gone, or it removed the object when the creator ended
  }
}

ObjectId SharedCommunicator::said_id() const {
  ObjectId id = place_.id;
  id.buffer = 1;
  return id;
}

ObjectId SharedCommunicator::staging_id() const {
  ObjectId id = place_.id;
  id.buffer = 2;
  return id;
}

void SharedCommunicator::map(const AskAbsent& absent) {
  const std::size_t bytes = SharedBarrier::bytes(place_.size);
  const Deadline deadline(place_.timeout);
  mapping_ = store_->create(place_.id, bytes, {.shared_writers = true, .may_exist = true});
  try {
    mapping_ ? make(bytes) : open(bytes, deadline, absent);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::store_failed) throw;
    wait_for_absence(deadline, absent);
    throw maker_lost(error);
  }
  const Range all{0, static_cast<std::size_t>(place_.size)};
  barrier_ = std::make_unique<SharedBarrier>(std::span(bytes_of_mapping(*mapping_), bytes),
                                             RankLayout{place_.rank, place_.size, all});
  barrier_->introduce(place_.name);
}

/// Initializes the barrier's memory, and then creates the object that marks this memory as ready (`said_id`). Without
/// this object, another rank could map the memory before it is initialized.
/// @param bytes the size of the memory
void SharedCommunicator::make(std::size_t bytes) {
  SharedBarrier::prepare({bytes_of_mapping(*mapping_), bytes}, place_.size);
  store_->create(said_id(), sizeof(float));
  said_ = true;
  store_->seal(said_id());
}

void SharedCommunicator::open(std::size_t bytes, const Deadline& deadline, const AskAbsent& absent) {
  wait_for_said(deadline, absent);
  said_ = true;
  mapping_ = store_->open(place_.id, 0, bytes);
}

/// Maps the memory for long vectors, and returns its description. The first rank that calls this function creates the
/// memory. It is created only before the first long vector, because many functions use no long vectors.
Staging SharedCommunicator::map_staging() {
  Staging staging{nullptr, shared_piece_bytes(place_.size), place_.size, barrier_->layout().local};
  const std::size_t bytes = Staging::bytes(staging.piece_bytes, staging.size, staging.local);
  staging_ = store_->create(staging_id(), bytes, {.shared_writers = true, .may_exist = true});
  if (!staging_) try {
      staging_ = store_->open(staging_id(), 0, bytes);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::store_failed) throw;
      throw maker_lost(error);
    }
  staging.memory = bytes_of_mapping(*staging_);
  return staging;
}

void SharedCommunicator::wait_for_said(const Deadline& deadline, const AskAbsent& absent) {
  for (;;) try {
      store_->get(said_id(), std::min(kAsksEvery, deadline.left()));
      return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout || deadline.passed()) throw;
      throw_if_absent(absent);
    }
}

}  // namespace troupe
