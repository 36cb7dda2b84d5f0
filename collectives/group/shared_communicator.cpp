#include "collectives/group/shared_communicator.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "collectives/group/elements.hpp"

namespace troupe {
namespace {

constexpr std::size_t kMostChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastChunkBytes = std::size_t{1} << 16;
/// Of all ranks' chunks.
constexpr std::size_t kChunksBytes = std::size_t{32} << 20;
constexpr std::size_t kLine = 64;

std::size_t chunk_bytes(int size) {
  const std::size_t each = kChunksBytes / static_cast<std::size_t>(size);
  return std::clamp(each, kLeastChunkBytes, kMostChunkBytes) / kPageBytes * kPageBytes;
}

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

const std::byte* bytes_at(const void* memory, std::size_t offset) {
  return static_cast<const std::byte*>(memory) + offset;
}
std::byte* bytes_at(void* memory, std::size_t offset) { return static_cast<std::byte*>(memory) + offset; }

/// As memcpy, where the two may be the same.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

/// Which bytes of a chunk a rank reduces: whole cache lines.
Range slice_of(std::size_t bytes, int rank, int size) {
  const Range lines = part_of_rank(rounded(bytes, kLine) / kLine, rank, size);
  return {std::min(lines.begin * kLine, bytes), std::min(lines.end * kLine, bytes)};
}

/// Where in the meeting place short vectors lie, behind the ranks' words.
std::size_t shorts_begin(int size) { return rounded(Meeting::bytes(size), kPageBytes); }

std::size_t meeting_bytes(int size) {
  return shorts_begin(size) + 2 * static_cast<std::size_t>(size) * SharedCommunicator::kShort;
}

std::byte* bytes_of_mapping(const Mapping& mapping) {
  return reinterpret_cast<std::byte*>(mapping.writable_floats().data());
}

}  // namespace

SharedCommunicator::SharedCommunicator(std::shared_ptr<StoreClient> store, const Place& place, const AskAbsent& absent)
    : store_(std::move(store)),
      place_(place),
      chunk_bytes_(chunk_bytes(place.size)),
      sources_(static_cast<std::size_t>(place.size)) {
  try {
    map(absent);
  } catch (...) {
    forget();
    throw;
  }
}

SharedCommunicator::~SharedCommunicator() { forget(); }

void SharedCommunicator::forget() noexcept {
  meeting_.reset();
  release(place_.id);
  if (std::exchange(chunks_, nullptr)) release(chunks_id());
  mapping_.reset();
}

void SharedCommunicator::release(const ObjectId& id) noexcept {
  try {
    store_->release(id);
  } catch (const Error&) {  // the store has gone, and all that it kept; or its maker has, and it went with that
  }
}

ObjectId SharedCommunicator::chunks_id() const {
  ObjectId id = place_.id;
  id.buffer = 2;
  return id;
}

/// Who makes the memory has zeros there before it says so, since it may have held something else.
void SharedCommunicator::map(const AskAbsent& absent) {
  const std::size_t bytes = meeting_bytes(place_.size);
  const Deadline deadline(place_.timeout);
  ObjectId said = place_.id;
  said.buffer = 1;
  mapping_ = store_->create(place_.id, bytes, {.shared_writers = true, .may_exist = true});
  if (mapping_) {
    std::memset(bytes_of_mapping(*mapping_), 0, shorts_begin(place_.size));
    store_->create(said, sizeof(float));
    store_->seal(said);
  } else {
    wait_for(said, deadline, absent);
    mapping_ = store_->open(place_.id, 0, bytes);
  }
  meeting_ = std::make_unique<Meeting>(std::span(bytes_of_mapping(*mapping_), Meeting::bytes(place_.size)), place_.rank,
                                       place_.size, place_.name);
  meeting_->call({});
  meeting_->meet(deadline, absent);
  store_->release(said);
}

/// Made when it is wanted, since many functions send nothing that is long.
void SharedCommunicator::map_chunks() {
  const std::size_t bytes = (static_cast<std::size_t>(place_.size) + 1) * chunk_bytes_;
  chunks_ = store_->create(chunks_id(), bytes, {.shared_writers = true, .may_exist = true});
  if (!chunks_) chunks_ = store_->open(chunks_id(), 0, bytes);
}

void SharedCommunicator::wait_for(const ObjectId& said, const Deadline& deadline, const AskAbsent& absent) {
  constexpr std::chrono::milliseconds kAsksEvery{100};
  for (;;) try {
      store_->get(said, std::min(kAsksEvery, deadline.left()));
      return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout || deadline.passed()) throw;
      if (const auto missing = absent ? absent() : std::nullopt)
        throw Error(missing->code, "a rank does not come: rank " + std::to_string(missing->rank) + ' ' + missing->text);
    }
}

std::byte* SharedCommunicator::short_of(int rank) const {
  const std::size_t place = 2 * static_cast<std::size_t>(rank) + meeting_->parity();
  return bytes_of_mapping(*mapping_) + shorts_begin(place_.size) + place * kShort;
}

std::byte* SharedCommunicator::chunk_of(int rank) const {
  return bytes_of_mapping(*chunks_) + static_cast<std::size_t>(rank) * chunk_bytes_;
}

const std::byte* const* SharedCommunicator::chunks_at(std::size_t offset) {
  for (int rank = 0; rank < place_.size; ++rank) sources_[static_cast<std::size_t>(rank)] = chunk_of(rank) + offset;
  return sources_.data();
}

void SharedCommunicator::run(const Collective& call) {
  meeting_->call(call);
  call.count* bytes_of(call.type) <= kShort ? run_short(call) : run_long(call);
}

void SharedCommunicator::run_short(const Collective& call) {
  using Kind = Collective::Kind;
  const std::size_t element = bytes_of(call.type);
  const Range own = part_of_rank(call.count, place_.rank, place_.size);
  const bool part = call.kind == Kind::all_gather;
  if (call.kind != Kind::broadcast || call.root == place_.rank)
    copy_bytes(short_of(place_.rank), bytes_at(call.in, 0), (part ? own.size() : call.count) * element);
  meeting_->meet(Deadline(place_.timeout));
  meeting_->check_calls();
  for (int rank = 0; rank < place_.size; ++rank) sources_[static_cast<std::size_t>(rank)] = short_of(rank);
  const auto reduce = [&](std::size_t begin, std::size_t count) {
    for (const std::byte*& source : sources_) source += begin * element;
    reduce_elements(call.type, call.op, sources_.data(), sources_.size(), count, bytes_at(call.out, 0));
  };
  switch (call.kind) {
    case Kind::barrier:
      return;
    case Kind::all_reduce:
      return reduce(0, call.count);
    case Kind::reduce_scatter:
      return reduce(own.begin, own.size());
    case Kind::broadcast:
      return copy_bytes(bytes_at(call.out, 0), sources_[static_cast<std::size_t>(call.root)], call.count * element);
    case Kind::all_gather:
      for (int rank = 0; rank < place_.size; ++rank) {
        const Range theirs = part_of_rank(call.count, rank, place_.size);
        copy_bytes(bytes_at(call.out, theirs.begin * element), sources_[static_cast<std::size_t>(rank)],
                   theirs.size() * element);
      }
  }
}

/// Ranks that call something else meet here all the same, since each begins with a meeting.
void SharedCommunicator::run_long(const Collective& call) {
  const Deadline deadline(place_.timeout);
  meeting_->meet(deadline);
  meeting_->check_calls();
  if (!chunks_) map_chunks();
  switch (call.kind) {
    case Collective::Kind::barrier:
      return;
    case Collective::Kind::all_reduce:
      return all_reduce(call, deadline);
    case Collective::Kind::reduce_scatter:
      return reduce_scatter(call, deadline);
    case Collective::Kind::all_gather:
      return all_gather(call, deadline);
    case Collective::Kind::broadcast:
      return broadcast(call, deadline);
  }
}

void SharedCommunicator::all_reduce(const Collective& call, const Deadline& deadline) {
  const std::size_t element = bytes_of(call.type);
  const std::size_t all = call.count * element;
  for (std::size_t begin = 0; begin < all; begin += chunk_bytes_) {
    const std::size_t bytes = std::min(chunk_bytes_, all - begin);
    copy_bytes(chunk_of(place_.rank), bytes_at(call.in, begin), bytes);
    meeting_->meet(deadline);
    const Range slice = slice_of(bytes, place_.rank, place_.size);
    reduce_elements(call.type, call.op, chunks_at(slice.begin), sources_.size(), slice.size() / element,
                    result() + slice.begin);
    meeting_->meet(deadline);
    copy_bytes(bytes_at(call.out, begin), result(), bytes);
  }
}

/// A chunk is a piece of each rank's part, one behind the other.
void SharedCommunicator::reduce_scatter(const Collective& call, const Deadline& deadline) {
  const std::size_t element = bytes_of(call.type);
  const std::size_t piece = chunk_bytes_ / static_cast<std::size_t>(place_.size) / element;
  const std::size_t longest = part_of_rank(call.count, 0, place_.size).size();
  const Range own = part_of_rank(call.count, place_.rank, place_.size);
  const auto piece_of = [&](const Range& part, std::size_t begin) {
    return Range{std::min(part.begin + begin, part.end), std::min(part.begin + begin + piece, part.end)};
  };
  for (std::size_t begin = 0; begin < longest; begin += piece) {
    for (int rank = 0; rank < place_.size; ++rank) {
      const Range theirs = piece_of(part_of_rank(call.count, rank, place_.size), begin);
      copy_bytes(chunk_of(place_.rank) + static_cast<std::size_t>(rank) * piece * element,
                 bytes_at(call.in, theirs.begin * element), theirs.size() * element);
    }
    meeting_->meet(deadline);
    const Range mine = piece_of(own, begin);
    reduce_elements(call.type, call.op, chunks_at(static_cast<std::size_t>(place_.rank) * piece * element),
                    sources_.size(), mine.size(), bytes_at(call.out, (mine.begin - own.begin) * element));
    meeting_->meet(deadline);
  }
}

void SharedCommunicator::all_gather(const Collective& call, const Deadline& deadline) {
  const std::size_t element = bytes_of(call.type);
  const auto bytes_of_part = [&](int rank) {
    const Range part = part_of_rank(call.count, rank, place_.size);
    return Range{part.begin * element, part.end * element};
  };
  const std::size_t longest = bytes_of_part(0).size();
  const std::size_t own = bytes_of_part(place_.rank).size();
  for (std::size_t begin = 0; begin < longest; begin += chunk_bytes_) {
    if (begin < own) copy_bytes(chunk_of(place_.rank), bytes_at(call.in, begin), std::min(chunk_bytes_, own - begin));
    meeting_->meet(deadline);
    for (int rank = 0; rank < place_.size; ++rank) {
      const Range part = bytes_of_part(rank);
      if (begin >= part.size()) continue;
      copy_bytes(bytes_at(call.out, part.begin + begin), chunk_of(rank), std::min(chunk_bytes_, part.size() - begin));
    }
    meeting_->meet(deadline);
  }
}

void SharedCommunicator::broadcast(const Collective& call, const Deadline& deadline) {
  const std::size_t all = call.count * bytes_of(call.type);
  for (std::size_t begin = 0; begin < all; begin += chunk_bytes_) {
    const std::size_t bytes = std::min(chunk_bytes_, all - begin);
    const bool root = call.root == place_.rank;
    if (root) copy_bytes(chunk_of(place_.rank), bytes_at(call.in, begin), bytes);
    meeting_->meet(deadline);
    if (!root) copy_bytes(bytes_at(call.out, begin), chunk_of(call.root), bytes);
    meeting_->meet(deadline);
  }
}

}  // namespace troupe
