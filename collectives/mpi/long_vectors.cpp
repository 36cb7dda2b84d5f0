#include "collectives/mpi/long_vectors.hpp"

#include <algorithm>
#include <utility>

#include "collectives/group/elements.hpp"
#include "collectives/group/memory.hpp"

namespace troupe {
namespace {

/// Each rank's part of a vector, a piece at a time.
struct Pieces {
  std::size_t count, longest;
  int size;

  /// The elements of a rank's piece that begins so far behind the beginning of its part.
  Range of(int rank, std::size_t begin) const {
    const Range part = part_of_rank(count, rank, size);
    return {std::min(part.begin + begin, part.end), std::min(part.begin + begin + longest, part.end)};
  }
};

Pieces pieces_of(const Collective& call, int size) {
  const std::size_t each = LongVectors::kChunkBytes / static_cast<std::size_t>(size) / bytes_of(call.type);
  return {call.count, std::max<std::size_t>(1, each), size};
}

}  // namespace

LongVectors::LongVectors(int rank, int size, Traffic& traffic, std::function<void()> finish)
    : rank_(rank),
      size_(size),
      traffic_(traffic),
      finish_(std::move(finish)),
      memory_(std::make_shared<Memory>()),
      ranks_(each_rank(size)),
      sources_(static_cast<std::size_t>(size)) {}

void LongVectors::run(const Collective& call) {
  if (memory_->chunk.empty()) {
    // A cache line more for each rank, since slices are whole lines, and pieces at least one element.
    const std::size_t bytes = kChunkBytes + 64 * static_cast<std::size_t>(size_);
    memory_->chunk.resize(bytes);
    memory_->came.resize(bytes);
  }
  switch (call.kind) {
    case Collective::Kind::barrier:
      return;
    case Collective::Kind::all_reduce:
      return all_reduce(call);
    case Collective::Kind::reduce_scatter:
      return reduce_scatter(call);
    case Collective::Kind::all_gather:
      return all_gather(call);
    case Collective::Kind::broadcast:
      return broadcast(call);
  }
}

const std::byte* const* LongVectors::sources(std::size_t in_chunk, std::size_t bytes) {
  for (int rank = 0; rank < size_; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    sources_[at] = rank == rank_ ? chunk_at(in_chunk) : came_at(at * bytes);
  }
  return sources_.data();
}

void LongVectors::all_reduce(const Collective& call) {
  const std::size_t element = bytes_of(call.type);
  const std::size_t all = call.count * element;
  for (std::size_t begin = 0; begin < all; begin += kChunkBytes) {
    const std::size_t bytes = std::min(kChunkBytes, all - begin);
    copy_bytes(chunk_at(0), bytes_at(call.in, begin), bytes);
    const Range own = slice_of_rank(bytes, rank_, size_);
    for (int other = 0; other < size_; ++other) {
      if (other == rank_) continue;
      const Range theirs = slice_of_rank(bytes, other, size_);
      traffic_.receive(other, came_at(static_cast<std::size_t>(other) * own.size()), own.size());
      traffic_.send(other, chunk_at(theirs.begin), theirs.size());
    }
    finish_();
    reduce_elements(call.type, call.op, ranks_, sources(own.begin, own.size()), own.size() / element,
                    chunk_at(own.begin));
    gather_slices(bytes);
    copy_bytes(bytes_at(call.out, begin), chunk_at(0), bytes);
  }
}

void LongVectors::gather_slices(std::size_t bytes, int root) {
  const Range own = slice_of_rank(bytes, rank_, size_);
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    const Range theirs = slice_of_rank(bytes, other, size_);
    if (rank_ != root) traffic_.receive(other, chunk_at(theirs.begin), theirs.size());
    if (other != root) traffic_.send(other, chunk_at(own.begin), own.size());
  }
  finish_();
}

void LongVectors::reduce_scatter(const Collective& call) {
  const std::size_t element = bytes_of(call.type);
  const Pieces pieces = pieces_of(call, size_);
  const std::size_t room = pieces.longest * element;
  const std::size_t own_begin = part_of_rank(call.count, rank_, size_).begin;
  for (std::size_t begin = 0; !pieces.of(0, begin).empty(); begin += pieces.longest) {
    const Range own = pieces.of(rank_, begin);
    const std::size_t own_bytes = own.size() * element;
    for (int other = 0; other < size_; ++other) {
      const Range theirs = pieces.of(other, begin);
      std::byte* const place = chunk_at(static_cast<std::size_t>(other) * room);
      copy_bytes(place, bytes_at(call.in, theirs.begin * element), theirs.size() * element);
      if (other == rank_) continue;
      traffic_.receive(other, came_at(static_cast<std::size_t>(other) * own_bytes), own_bytes);
      traffic_.send(other, place, theirs.size() * element);
    }
    finish_();
    reduce_elements(call.type, call.op, ranks_, sources(static_cast<std::size_t>(rank_) * room, own_bytes), own.size(),
                    bytes_at(call.out, (own.begin - own_begin) * element));
  }
}

void LongVectors::all_gather(const Collective& call) {
  const std::size_t element = bytes_of(call.type);
  const Pieces pieces = pieces_of(call, size_);
  const std::size_t room = pieces.longest * element;
  const std::size_t own_begin = part_of_rank(call.count, rank_, size_).begin;
  for (std::size_t begin = 0; !pieces.of(0, begin).empty(); begin += pieces.longest) {
    const Range own = pieces.of(rank_, begin);
    std::byte* const mine = came_at(static_cast<std::size_t>(rank_) * room);
    copy_bytes(mine, bytes_at(call.in, (own.begin - own_begin) * element), own.size() * element);
    for (int other = 0; other < size_; ++other) {
      if (other == rank_) continue;
      traffic_.receive(other, came_at(static_cast<std::size_t>(other) * room),
                       pieces.of(other, begin).size() * element);
      traffic_.send(other, mine, own.size() * element);
    }
    finish_();
    for (int rank = 0; rank < size_; ++rank) {
      const Range theirs = pieces.of(rank, begin);
      copy_bytes(bytes_at(call.out, theirs.begin * element), came_at(static_cast<std::size_t>(rank) * room),
                 theirs.size() * element);
    }
  }
}

/// The root sends each rank a slice alone, and the ranks give theirs to the others.
void LongVectors::broadcast(const Collective& call) {
  const std::size_t all = call.count * bytes_of(call.type);
  const bool root = call.root == rank_;
  for (std::size_t begin = 0; begin < all; begin += kChunkBytes) {
    const std::size_t bytes = std::min(kChunkBytes, all - begin);
    if (root) copy_bytes(chunk_at(0), bytes_at(call.in, begin), bytes);
    for (int other = 0; root && other < size_; ++other) {
      const Range theirs = slice_of_rank(bytes, other, size_);
      if (other != rank_) traffic_.send(other, chunk_at(theirs.begin), theirs.size());
    }
    const Range own = slice_of_rank(bytes, rank_, size_);
    if (!root) traffic_.receive(call.root, chunk_at(own.begin), own.size());
    finish_();
    gather_slices(bytes, call.root);
    if (!root) copy_bytes(bytes_at(call.out, begin), chunk_at(0), bytes);
  }
}

}  // namespace troupe
