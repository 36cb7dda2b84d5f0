#include "actors/schedules/simulated_node.hpp"

#include <algorithm>
#include <utility>

#include "actors/schedules/as_request.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/page_sum.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

using NodeRequests = std::tuple<BeginCopy, SendCopy, EndCopy, ExpectPieces, MovePieces, DropCopies>;

Floats part(std::span<const float> vector, const Range& range) {
  const auto floats = vector.subspan(range.begin, range.size());
  return {floats.begin(), floats.end()};
}

}  // namespace

std::span<float> SimulatedCopy::floats_of(const CopyPiece& piece) {
  const bool weights_piece = piece.vector == kWeightsVector;
  const Range whole = weights_piece ? Range{0, weights.size()} : piece.kept ? kept_slices : own_slices;
  if (piece.begin < whole.begin || piece.end > whole.end || piece.begin > piece.end)
    throw Error(ErrorCode::protocol, "a piece is not in the copy");
  Floats& floats = weights_piece ? weights : (piece.kept ? kept : own).at(static_cast<std::size_t>(piece.vector - 1));
  return std::span(floats).subspan(piece.begin - whole.begin, piece.end - piece.begin);
}

std::optional<caf::message> SimulatedNode::carry_out(const caf::message& request, bool half) {
  half_ = half;
  waits_ = false;
  caf::message reply = reply_to<NodeRequests>(request, [this](const auto& asked, auto& made) { work(asked, made); });
  if (waits_) return std::nullopt;
  return reply;
}

caf::message SimulatedNode::refuse(const caf::message& request) {
  return reply_to<NodeRequests>(request, [](const auto& /*asked*/, auto& /*reply*/) {
    throw Error(ErrorCode::store_full, "there is no memory for a copy");
  });
}

/// The simulated driver begins a generation at once, even if a node has not answered an earlier request yet.
std::span<float> SimulatedNode::vector(int vector, int buffer) const {
  auto& buffers = memory_.slabs->vectors.at(static_cast<std::size_t>(vector));
  if (std::cmp_greater_equal(buffer, buffers.size()))
    throw Error(ErrorCode::protocol, "the request belongs to an earlier generation");
  return buffers[static_cast<std::size_t>(buffer)];
}

std::uint64_t SimulatedNode::told(std::uint64_t checksum) { return tells_lies() ? checksum + 1 : checksum; }

SimulatedCopy& SimulatedNode::complete_copy(std::uint64_t run, std::uint64_t number) {
  SimulatedCopy& found = copy(number);
  if (!found.complete || found.run != run || found.number != number)
    throw Error(ErrorCode::protocol, "there is no such copy");
  return found;
}

void SimulatedNode::work(const BeginCopy& request, CopyBegun& reply) {
  const Slabs& slabs = *memory_.slabs;
  const Plan plan = make_plan(slabs.plan, slabs.layout.size);
  const int nodes = static_cast<int>(nodes_.size());
  SimulatedCopy& made = copy(request.number);
  made = {request.run, request.number, self_, false, plan.slice_of_node(self_), {}};
  if (nodes > 1) made.kept_slices = plan.slice_of_node((self_ + nodes - 1) % nodes);
  made.weights = part(vector(kWeightsVector, request.buffer), {0, slabs.layout.size});
  reply.sums.push_back(told(page_sum(made.weights, 0)));
  if (half_) return;
  for (int each = 1; each < slabs.layout.vectors; ++each) {
    made.own.push_back(part(vector(each, request.buffer), made.own_slices));
    made.kept.emplace_back(made.kept_slices.size(), Memory::kUnwritten);
    reply.sums.push_back(told(page_sum(made.own.back(), made.own_slices.begin)));
  }
}

/// Fetches the slices of the node before this one, which the real node would send.
void SimulatedNode::work(const SendCopy& request, Done& /*reply*/) {
  const std::size_t nodes = nodes_.size();
  if (nodes == 1) return;
  SimulatedNode* const before = nodes_[(static_cast<std::size_t>(self_) + nodes - 1) % nodes];
  if (before == nullptr) throw Error(ErrorCode::worker_lost, "the connection to another node broke");
  const SimulatedCopy& from = before->copy(request.number);
  SimulatedCopy& to = copy(request.number);
  if (from.number != request.number || to.number != request.number) {
    waits_ = true;
    return;
  }
  to.kept = from.own;
  if (half_ && !to.kept.empty()) to.kept.back().assign(to.kept.back().size(), Memory::kUnwritten);
}

void SimulatedNode::work(const EndCopy& request, CopyEnded& reply) {
  SimulatedCopy& made = copy(request.number);
  if (made.number != request.number) throw Error(ErrorCode::protocol, "another copy is being made");
  for (const Floats& kept : made.kept) reply.sums.push_back(told(page_sum(kept, made.kept_slices.begin)));
  made.complete = !half_;
}

void SimulatedNode::work(const ExpectPieces& request, Done& /*reply*/) {
  buffer_ = request.buffer;
  pieces_.clear();
  for (const CopyPiece& piece : request.pieces)
    if (piece.to == self_ || piece.from == self_) pieces_.push_back(piece);
}

Floats SimulatedNode::send(const CopyPiece& piece, const MovePieces& request) {
  const auto floats = complete_copy(request.run, request.number).floats_of(piece);
  Floats sent(floats.begin(), floats.end());
  if (!sent.empty() && tells_lies()) sent[sent.size() / 2] += 1;
  return sent;
}

/// Fetches the pieces that other nodes send to this node.
void SimulatedNode::work(const MovePieces& request, PiecesMoved& reply) {
  std::size_t weights = 0;
  for (const CopyPiece& piece : std::exchange(pieces_, {})) {
    if (piece.from == self_) complete_copy(request.run, request.number).floats_of(piece);
    if (piece.to != self_) continue;
    SimulatedNode* const from = nodes_.at(static_cast<std::size_t>(piece.from));
    if (from == nullptr) throw Error(ErrorCode::worker_lost, "the connection to another node broke");
    Floats sent;
    try {
      sent = from->send(piece, request);
    } catch (const Error&) {  // the sender reports its error
      if (from == this) throw;
      waits_ = true;
      return;
    }
    if (half_) sent.resize(sent.size() / 2);
    std::ranges::copy(sent, vector(piece.vector, buffer_).begin() + static_cast<std::ptrdiff_t>(piece.begin));
    reply.sums.push_back(told(page_sum(sent, piece.begin)));
    if (piece.vector == kWeightsVector) weights += sent.size();
  }
  if (weights == memory_.slabs->layout.size) memory_.without_weights.erase(self_);
}

void SimulatedNode::work(const DropCopies& /*request*/, Done& /*reply*/) { machine_.copies = {}; }

}  // namespace troupe_test
