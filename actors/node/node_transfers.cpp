#include <limits>

#include "actors/messages/bounds.hpp"
#include "actors/node/floats.hpp"
#include "actors/node/node_service.hpp"
#include "runtime/store/checked_part.hpp"

// The part of NodeService that moves vectors: between the driver and the node's workers, and between the states of
// different nodes.
namespace troupe {
void NodeService::carry_out(const CreateTransfer& request) {
  if (request.floats > std::numeric_limits<std::size_t>::max() / sizeof(float))
    throw Error(ErrorCode::protocol, "the transfer is larger than the address space");
  transfers_[request.transfer] =
      store_->create(transfer_id(run_, request.transfer), request.floats * sizeof(float), {.shared_writers = true});
}

void NodeService::carry_out(const ExpectTransfer& request) {
  carry_out(CreateTransfer{0, request.transfer, request.floats});
  const auto& mapping = transfers_.at(request.transfer);
  expect_floats(data_plane_, kTransferWindow, num_nodes_, checked_first(mapping->writable_floats(), request.floats),
                mapping);
}

void NodeService::carry_out(const EndTransfer& request) {
  const std::size_t floats = whole_transfer(request.transfer, request.floats).size();
  wait_for_floats(data_plane_, kTransferWindow, request.ticket, floats, deadline_of(request).earlier());
  data_plane_.withdraw(kTransferWindow);
  store_->seal(transfer_id(run_, request.transfer));
}

void NodeService::carry_out(const SendTransfer& request) {
  send_floats(data_plane_, num_nodes_, kTransferWindow, request.ticket,
              whole_transfer(request.transfer, request.floats), deadline_of(request).earlier());
  drop_transfers();
}

void NodeService::carry_out(const DropTransfers& /*request*/) { drop_transfers(); }

void NodeService::carry_out(const ExpectPlaced& request) {
  const VersionedState& state = *current().state;
  expected_ = {request.vector, request.buffer};
  if (state.layout().is_here(request.vector))
    expect_floats(data_plane_, kPlaceWindow, 0, state.vector(request.vector, request.buffer));
}

void NodeService::carry_out(const Place& request) {
  const VersionedState& state = *current().state;
  const Deadline deadline = deadline_of(request).earlier();
  if (self_ != 0 && !request.alone) {
    check_expected(request.vector, request.buffer);
    if (!state.layout().is_here(request.vector)) return;
    const std::size_t floats = state.layout().range_of(request.vector).size();
    wait_for_floats(data_plane_, kPlaceWindow, request.ticket, floats, deadline);
    return data_plane_.withdraw(kPlaceWindow);
  }
  const auto whole = checked_first(transfer(request.transfer).floats(), state.layout().size);
  if (state.layout().is_here(request.vector)) state.place(whole, request.vector, request.buffer);
  for (int node = 1; node < num_nodes_ && !request.alone; ++node) {
    const Range range = state.layout().is_single(request.vector) ? slices_of_node(node) : Range{0, whole.size()};
    if (!range.empty())
      send_floats(data_plane_, node, kPlaceWindow, request.ticket, checked_part(whole, range.begin, range.size()),
                  deadline);
  }
  drop_transfers();
}

void NodeService::carry_out(const ClearState& request) { current().state->clear(request.buffer); }

/// Creates an object for the complete copy of vector `vector`, whose parts are on different nodes. Copies this node's
/// part into the object, and returns the memory of the object, for writing. `drop_transfers` frees the object.
std::span<float> NodeService::make_whole(const VersionedState& state, int vector) {
  const SlabLayout& layout = state.layout();
  const ObjectId id = layout.vector_id(vector, 1);
  gathered_ = id;
  gathered_mapping_ = store_->create(id, layout.bytes());
  const auto whole = checked_first(gathered_mapping_->writable_floats(), layout.size);
  if (layout.is_here(vector))
    std::ranges::copy(state.vector(vector, 0), whole.begin() + static_cast<std::ptrdiff_t>(layout.own.begin));
  return whole;
}

void NodeService::carry_out(const ExpectSlices& request) {
  const VersionedState& state = *current().state;
  if (request.vector == kWeightsVector)
    throw Error(ErrorCode::protocol, "weights are complete on every node and cannot be gathered");
  expected_ = {request.vector, request.buffer};
  drop_transfers();
  const bool single = state.layout().is_single(request.vector);
  const auto vector = single ? make_whole(state, request.vector) : state.vector(request.vector, request.buffer);
  for (int node = 1; node < num_nodes_; ++node) {
    const Range slices = slices_of_node(node);
    if (slices.empty()) continue;
    expect_floats(data_plane_, kGatherWindow + static_cast<WindowId>(node), node,
                  checked_part(vector, slices.begin, slices.size()));
  }
}

void NodeService::check_expected(int vector, int buffer) const {
  if (expected_ != std::pair(vector, buffer))
    throw Error(ErrorCode::protocol, "the vector or buffer differs from the announced one");
}

void NodeService::carry_out(const GatherSlices& request) {
  if (self_ == 0) check_expected(request.vector, request.buffer);
  const VersionedState& state = *current().state;
  const Deadline deadline = deadline_of(request).earlier();
  for (int node = 1; node < num_nodes_; ++node) {
    const Range slices = slices_of_node(node);
    if (slices.empty()) continue;
    const WindowId window = kGatherWindow + static_cast<WindowId>(node);
    if (node == self_) {
      const auto vector = state.vector(request.vector, request.buffer);
      const std::size_t begin = slices.begin - state.layout().range_of(request.vector).begin;
      send_floats(data_plane_, 0, window, request.ticket, checked_part(vector, begin, slices.size()), deadline);
    }
    if (self_ != 0) continue;
    wait_for_floats(data_plane_, window, request.ticket, slices.size(), deadline);
    data_plane_.withdraw(window);
    // Vectors with a single buffer belong to L-BFGS. They are not checked, because they may contain infinity: L-BFGS
    // divides them by numbers that may be close to zero.
    if (!state.layout().is_single(request.vector))
      check_received(data_plane_, node,
                     checked_part(state.vector(request.vector, request.buffer), slices.begin, slices.size()));
  }
  if (self_ == 0 && gathered_mapping_) store_->seal(*gathered_);
}

Range NodeService::slices_of_node(int node) const { return current().plan.slice_of_node(node); }

Mapping& NodeService::transfer(std::uint64_t number) const {
  const auto found = transfers_.find(number);
  if (found == transfers_.end())
    throw Error(ErrorCode::protocol, "there is no transfer with number " + std::to_string(number));
  return *found->second;
}

std::span<const float> NodeService::whole_transfer(std::uint64_t number, std::uint64_t floats) const {
  const std::span<const float> whole = transfer(number).floats();
  if (whole.size() != floats)
    throw Error(ErrorCode::protocol, "the size of the transfer differs from the announced size");
  return whole;
}

/// Frees all transfer objects and the object of `make_whole`. Makes the store return their memory to the operating
/// system, because transfers are rare and large.
void NodeService::drop_transfers() {
  if (gathered_mapping_) {
    store_->release(*gathered_);
    gathered_mapping_.reset();
    gathered_.reset();
    store_->trim();
  }
  if (transfers_.empty()) return;
  data_plane_.withdraw(kTransferWindow);
  for (const auto& [number, mapping] : transfers_) store_->release(transfer_id(run_, number));
  transfers_.clear();
  store_->trim();
}

}  // namespace troupe
