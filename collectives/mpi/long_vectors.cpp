#include "collectives/mpi/long_vectors.hpp"

#include <algorithm>
#include <utility>

#include "collectives/group/elements.hpp"
#include "collectives/group/memory.hpp"

namespace troupe {
namespace {

/// Returns the number of bytes of each rank's piece of a block: whole elements, and at least one element.
std::size_t piece_bytes(const Collective& call, int size) {
  const std::size_t element = bytes_of(call.type);
  const std::size_t elements = LongVectors::kChunkBytes / static_cast<std::size_t>(size) / element;
  return std::max<std::size_t>(1, elements) * element;
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
    // The buffers have one extra cache line per rank, because slices consist of whole cache lines, and pieces have at
    // least one element.
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
  const std::size_t room = piece_bytes(call, size_);
  const std::size_t longest = part_bytes(call, 0, size_).size();
  const std::size_t own_begin = part_bytes(call, rank_, size_).begin;
  for (std::size_t begin = 0; begin < longest; begin += room) {
    const Range own = piece_of(part_bytes(call, rank_, size_), begin, room);
    for (int other = 0; other < size_; ++other) {
      const Range theirs = piece_of(part_bytes(call, other, size_), begin, room);
      std::byte* const place = chunk_at(static_cast<std::size_t>(other) * room);
      copy_bytes(place, bytes_at(call.in, theirs.begin), theirs.size());
      if (other == rank_) continue;
      traffic_.receive(other, came_at(static_cast<std::size_t>(other) * own.size()), own.size());
      traffic_.send(other, place, theirs.size());
    }
    finish_();
    reduce_elements(call.type, call.op, ranks_, sources(static_cast<std::size_t>(rank_) * room, own.size()),
                    own.size() / bytes_of(call.type), bytes_at(call.out, own.begin - own_begin));
  }
}

void LongVectors::all_gather(const Collective& call) {
  const std::size_t room = piece_bytes(call, size_);
  const std::size_t longest = part_bytes(call, 0, size_).size();
  const std::size_t own_begin = part_bytes(call, rank_, size_).begin;
  for (std::size_t begin = 0; begin < longest; begin += room) {
    const Range own = piece_of(part_bytes(call, rank_, size_), begin, room);
    std::byte* const mine = came_at(static_cast<std::size_t>(rank_) * room);
    copy_bytes(mine, bytes_at(call.in, own.begin - own_begin), own.size());
    for (int other = 0; other < size_; ++other) {
      if (other == rank_) continue;
      const Range theirs = piece_of(part_bytes(call, other, size_), begin, room);
      traffic_.receive(other, came_at(static_cast<std::size_t>(other) * room), theirs.size());
      traffic_.send(other, mine, own.size());
    }
    finish_();
    for (int rank = 0; rank < size_; ++rank) {
      const Range theirs = piece_of(part_bytes(call, rank, size_), begin, room);
      copy_bytes(bytes_at(call.out, theirs.begin), came_at(static_cast<std::size_t>(rank) * room), theirs.size());
    }
  }
}

/// The root sends each other rank only that rank's slice of a block. Then the ranks exchange their slices. So the root
/// sends each block only once in total, and not once to every rank.
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
