#include "collectives/group/rank_collectives.hpp"

#include <algorithm>

#include "collectives/group/elements.hpp"
#include "collectives/group/memory.hpp"
#include "collectives/group/short_vectors.hpp"

namespace troupe {

RankCollectives::RankCollectives(SharedBarrier& barrier, RemoteRanks* remote, MakeStaging stage,
                                 std::chrono::milliseconds timeout)
    : barrier_(barrier), remote_(remote), stage_(std::move(stage)), timeout_(timeout) {
  ranks_ = each_rank(size());
  terms_ = remote_ != nullptr ? remote_->terms() : ranks_;
}

void RankCollectives::begin(const AskAbsent& absent) {
  barrier_.ask(absent);
  barrier_.call({});
  meet_all(0, Deadline(timeout_));
  barrier_.ask({});
}

/// After an error, this rank never takes part in a barrier again. The reason is that the barrier in which the error
/// occurred may have counted this rank, so a later barrier would count it twice.
void RankCollectives::run(const Collective& call) {
  if (failed_) std::rethrow_exception(failed_);
  Difference difference;
  try {
    difference = perform(call);
  } catch (const Error&) {
    failed_ = std::current_exception();
    throw;
  }
  if (difference) throw Error(*difference);
}

RankCollectives::Difference RankCollectives::perform(const Collective& call) {
  const Deadline deadline(timeout_);
  barrier_.call(call);
  const bool is_short = call.count * bytes_of(call.type) <= SharedBarrier::kPayloadBytes;
  return is_short ? run_short(call, deadline) : run_long(call, deadline);
}

RankCollectives::Difference RankCollectives::meet_all(std::size_t payload_bytes, const Deadline& deadline) {
  if (remote_ != nullptr) remote_->say(barrier_.said(payload_bytes), deadline);
  barrier_.meet(deadline);
  if (remote_ != nullptr) remote_->await_said(deadline);
  return barrier_.different_calls();
}

void RankCollectives::meet_again(const Collective& call, const Deadline& deadline) {
  if (remote_ == nullptr) return barrier_.meet(deadline);
  barrier_.call(call);
  if (const Difference difference = meet_all(0, deadline)) throw Error(*difference);
}

RankCollectives::Difference RankCollectives::run_short(const Collective& call, const Deadline& deadline) {
  const std::size_t bytes = short_bytes(call, rank(), size());
  copy_bytes(barrier_.payload(rank()), bytes_at(call.in, 0), bytes);
  Difference difference = meet_all(bytes, deadline);
  if (difference) return difference;
  sources_.clear();
  for (int each = 0; each < size(); ++each) sources_.push_back(barrier_.payload(each));
  take_short(call, rank(), sources_, ranks_);
  return {};
}

/// Every collective begins with the same barrier. So ranks that have called different collectives also meet in this
/// barrier, and each rank gets the error.
RankCollectives::Difference RankCollectives::run_long(const Collective& call, const Deadline& deadline) {
  Difference difference = meet_all(0, deadline);
  if (!difference) pass_through(call, deadline);
  return difference;
}

void RankCollectives::pass_through(const Collective& call, const Deadline& deadline) {
  if (staging_.memory == nullptr) staging_ = stage_();
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

void RankCollectives::make_slice(const Collective& call, const SliceOf& slice_of, std::byte* out,
                                 const Deadline& deadline) {
  if (remote_ != nullptr) remote_->send_sums(call, slice_of, deadline);
  const Range slice = slice_of(rank());
  if (slice.empty()) return;
  sources_.assign(terms_.size(), nullptr);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Range& local = staging_.local;
    if (terms_[i].begin >= local.begin && terms_[i].end <= local.end)
      sources_[i] = staging_.chunk_of(static_cast<int>(terms_[i].begin)) + slice.begin;
  }
  if (remote_ != nullptr) remote_->await_sums(sources_, deadline);
  reduce_elements(call.type, call.op, terms_, sources_.data(), slice.size() / bytes_of(call.type), out);
}

const std::byte* RankCollectives::made_by(int rank, const Deadline& deadline) {
  if (remote_ != nullptr) remote_->await_made(rank, deadline);
  return staging_.made_by(rank);
}

void RankCollectives::all_reduce(const Collective& call, const Deadline& deadline) {
  const std::size_t all = call.count * bytes_of(call.type);
  for (std::size_t begin = 0; begin < all; begin += staging_.chunk_bytes()) {
    const std::size_t bytes = std::min(staging_.chunk_bytes(), all - begin);
    const auto slice_of = [&](int rank) { return slice_of_rank(bytes, rank, size()); };
    if (remote_ != nullptr) remote_->begin_chunk();
    copy_bytes(staging_.chunk_of(rank()), bytes_at(call.in, begin), bytes);
    barrier_.meet(deadline);
    make_slice(call, slice_of, staging_.made_by(rank()), deadline);
    if (remote_ != nullptr) remote_->send_made(slice_of(rank()).size(), deadline);
    barrier_.meet(deadline);
    for (int each = 0; each < size(); ++each) {
      const Range slice = slice_of(each);
      if (!slice.empty()) copy_bytes(bytes_at(call.out, begin + slice.begin), made_by(each, deadline), slice.size());
    }
  }
}

/// Each block contains one piece of each rank's part of the vector, in order of rank. The slice of a rank is its piece.
void RankCollectives::reduce_scatter(const Collective& call, const Deadline& deadline) {
  const Range own = part_bytes(call, rank(), size());
  const std::size_t longest = part_bytes(call, 0, size()).size();
  for (std::size_t begin = 0; begin < longest; begin += piece_bytes()) {
    const auto slice_of = [&](int rank) {
      const std::size_t at = static_cast<std::size_t>(rank) * piece_bytes();
      return Range{at, at + piece_of(part_bytes(call, rank, size()), begin, piece_bytes()).size()};
    };
    if (remote_ != nullptr) remote_->begin_chunk();
    for (int each = 0; each < size(); ++each) {
      const Range theirs = piece_of(part_bytes(call, each, size()), begin, piece_bytes());
      copy_bytes(staging_.chunk_of(rank()) + slice_of(each).begin, bytes_at(call.in, theirs.begin), theirs.size());
    }
    barrier_.meet(deadline);
    make_slice(call, slice_of, bytes_at(call.out, piece_of(own, begin, piece_bytes()).begin - own.begin), deadline);
    meet_again(call, deadline);
  }
}

void RankCollectives::all_gather(const Collective& call, const Deadline& deadline) {
  const std::size_t longest = part_bytes(call, 0, size()).size();
  const Range own = part_bytes(call, rank(), size());
  for (std::size_t begin = 0; begin < longest; begin += piece_bytes()) {
    if (remote_ != nullptr) remote_->begin_chunk();
    const Range mine = piece_of(own, begin, piece_bytes());
    copy_bytes(staging_.made_by(rank()), bytes_at(call.in, mine.begin - own.begin), mine.size());
    if (remote_ != nullptr) remote_->send_made(mine.size(), deadline);
    barrier_.meet(deadline);
    for (int each = 0; each < size(); ++each) {
      const Range theirs = piece_of(part_bytes(call, each, size()), begin, piece_bytes());
      if (!theirs.empty()) copy_bytes(bytes_at(call.out, theirs.begin), made_by(each, deadline), theirs.size());
    }
    meet_again(call, deadline);
  }
}

void RankCollectives::broadcast(const Collective& call, const Deadline& deadline) {
  const std::size_t all = call.count * bytes_of(call.type);
  const bool root = call.root == rank();
  for (std::size_t begin = 0; begin < all; begin += piece_bytes()) {
    if (remote_ != nullptr) remote_->begin_chunk();
    const std::size_t bytes = std::min(piece_bytes(), all - begin);
    if (root) copy_bytes(staging_.made_by(rank()), bytes_at(call.in, begin), bytes);
    if (root && remote_ != nullptr) remote_->send_made(bytes, deadline);
    barrier_.meet(deadline);
    if (!root) copy_bytes(bytes_at(call.out, begin), made_by(call.root, deadline), bytes);
    meet_again(call, deadline);
  }
}

}  // namespace troupe
