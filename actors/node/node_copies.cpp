#include "actors/node/node_copies.hpp"

#include <algorithm>

#include "actors/node/floats.hpp"
#include "actors/node/node_service.hpp"
#include "collectives/state/page_sum.hpp"
#include "runtime/store/checked_part.hpp"

// Copies of the state on a node, and the requests with which the driver makes them and restores a state from them.
namespace troupe {
namespace {

Range range_of(const CopyPiece& piece) { return {piece.begin, piece.end}; }

/// Returns the floats of `piece` in `copy`.
/// @throws Error protocol if the copy does not contain them
std::span<const float> floats_of(const StateCopy& copy, const CopyPiece& piece) {
  const CopyContents& shape = copy.shape();
  const Range range = range_of(piece);
  if (piece.vector == kWeightsVector) return checked_part(copy.weights(), range.begin, range.size());
  const Range& whole = piece.kept ? shape.kept : shape.own;
  if (piece.vector < 0 || piece.vector >= shape.vectors || range.begin < whole.begin)
    throw Error(ErrorCode::protocol, "a piece is not in the copy");
  const std::span<float> slices = piece.kept ? copy.kept(piece.vector) : copy.own(piece.vector);
  return checked_part(slices, range.begin - whole.begin, range.size());
}

}  // namespace

NodeCopies::NodeCopies(Files files) : copies_{StateCopy(std::move(files[0])), StateCopy(std::move(files[1]))} {}

NodeCopies::Files NodeCopies::make_files() {
  return {open_memory_file("troupe-copy"), open_memory_file("troupe-copy")};
}

const StateCopy& NodeCopies::complete_copy(std::uint64_t run, std::uint64_t number) const {
  const StateCopy& copy = copies_[number % copies_.size()];
  const auto contents = copy.contents();
  if (!contents || contents->run != run || contents->number != number)
    throw Error(ErrorCode::protocol, "there is no copy with number " + std::to_string(number));
  return copy;
}

std::vector<OfferedCopy> NodeCopies::offers() const {
  std::vector<OfferedCopy> offers;
  for (const StateCopy& copy : copies_)
    if (const auto contents = copy.contents()) offers.push_back({contents->run, contents->number, contents->holder});
  return offers;
}

void NodeCopies::clear() {
  for (StateCopy& copy : copies_) copy.clear();
}

CopyBegun NodeService::carry_out(const BeginCopy& request) {
  const VersionedState& state = *current().state;
  const SlabLayout& layout = state.layout();
  if (layout.singles > 0 || layout.per_shard > 0)
    throw Error(ErrorCode::protocol, "a state of this shape cannot be copied");
  CopyContents contents;
  contents.run = request.run;
  contents.number = request.number;
  contents.holder = self_;
  contents.vectors = layout.vectors;
  contents.size = layout.size;
  contents.own = slices_of_node(self_);
  contents.kept = num_nodes_ > 1 ? slices_of_node((self_ + num_nodes_ - 1) % num_nodes_) : Range{};
  StateCopy& copy = copies_.copy(request.number);
  data_plane_.withdraw(kCopyWindow);
  copy.begin(contents);
  CopyBegun reply;
  const auto weights = state.vector(kWeightsVector, request.buffer);
  std::ranges::copy(weights, copy.weights().begin());
  reply.sums.push_back(page_sum(copy.weights(), 0));
  for (int vector = kWeightsVector + 1; vector < layout.vectors; ++vector) {
    const auto own = checked_part(state.vector(vector, request.buffer), contents.own.begin, contents.own.size());
    std::ranges::copy(own, copy.own(vector).begin());
    reply.sums.push_back(page_sum(copy.own(vector), contents.own.begin));
  }
  if (!copy.all_kept().empty())
    data_plane_.announce(kCopyWindow, (self_ + num_nodes_ - 1) % num_nodes_, std::as_writable_bytes(copy.all_kept()),
                         kCopySegmentBytes, copy.memory());
  reply.bytes = copies_.bytes();
  return reply;
}

void NodeService::carry_out(const SendCopy& request) {
  const StateCopy& copy = copies_.copy(request.number);
  const Deadline deadline = deadline_of(request).earlier();
  const std::span<const float> own = copy.all_own();
  const std::size_t last = std::size_t{request.first} + request.segments;
  for (std::size_t segment = request.first; segment < last && num_nodes_ > 1; ++segment) {
    const std::size_t begin = segment * kCopySegmentFloats;
    if (begin >= own.size()) break;
    const auto floats = own.subspan(begin, std::min(kCopySegmentFloats, own.size() - begin));
    data_plane_.send((self_ + 1) % num_nodes_, kCopyWindow, request.number, static_cast<std::uint32_t>(segment),
                     std::as_bytes(floats), deadline);
  }
  for (std::size_t segment = request.first; segment < last; ++segment) {
    if (segment * kCopySegmentFloats >= copy.all_kept().size()) break;
    data_plane_.wait(kCopyWindow, request.number, static_cast<std::uint32_t>(segment), deadline);
  }
}

CopyEnded NodeService::carry_out(const EndCopy& request) {
  StateCopy& copy = copies_.copy(request.number);
  const CopyContents& contents = copy.shape();
  if (contents.number != request.number) throw Error(ErrorCode::protocol, "another copy is being made");
  data_plane_.withdraw(kCopyWindow);
  CopyEnded reply;
  for (int vector = kWeightsVector + 1; vector < contents.vectors; ++vector)
    reply.sums.push_back(page_sum(copy.kept(vector), contents.kept.begin));
  copy.complete();
  return reply;
}

void NodeService::carry_out(const ExpectPieces& request) {
  const VersionedState& state = *current().state;
  const SlabLayout& layout = state.layout();
  pieces_.clear();
  for (std::size_t i = 0; i < request.pieces.size(); ++i) {
    const CopyPiece& piece = request.pieces[i];
    if (piece.vector < 0 || piece.vector >= layout.vectors || piece.begin > piece.end)
      throw Error(ErrorCode::protocol, "a piece of a copy is outside the state");
    if (piece.to != self_ && piece.from != self_) continue;
    MovingPiece moving{piece, kPieceWindow + static_cast<WindowId>(i), {}};
    if (piece.to == self_)
      moving.into = checked_part(state.vector(piece.vector, request.buffer), piece.begin, range_of(piece).size());
    if (piece.to == self_ && piece.from != self_) expect_floats(data_plane_, moving.window, piece.from, moving.into);
    pieces_.push_back(moving);
  }
}

PiecesMoved NodeService::carry_out(const MovePieces& request) {
  const Deadline deadline = deadline_of(request).earlier();
  const auto pieces = std::exchange(pieces_, {});
  for (const MovingPiece& each : pieces) {
    if (each.piece.from != self_) continue;
    const auto floats = floats_of(copies_.complete_copy(request.run, request.number), each.piece);
    if (each.piece.to == self_)
      std::ranges::copy(floats, each.into.begin());
    else
      send_floats(data_plane_, each.piece.to, each.window, request.number, floats, deadline);
  }
  PiecesMoved reply;
  for (const MovingPiece& each : pieces) {
    if (each.piece.to != self_) continue;
    if (each.piece.from != self_) {
      wait_for_floats(data_plane_, each.window, request.number, each.into.size(), deadline);
      data_plane_.withdraw(each.window);
    }
    reply.sums.push_back(page_sum(each.into, each.piece.begin));
  }
  return reply;
}

void NodeService::carry_out(const DropCopies& /*request*/) {
  data_plane_.withdraw(kCopyWindow);  // a node that still sends must not write into memory that no longer exists
  copies_.clear();
}

}  // namespace troupe
