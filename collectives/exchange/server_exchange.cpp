#include "collectives/exchange/server_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "collectives/exchange/reduce.hpp"
#include "troupe/error.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {
namespace {

/// The number of floats in a block (64 KiB). A block is sent as a whole or not at all.
constexpr std::size_t kBlockFloats = std::size_t{1} << 14;

std::size_t blocks_of(std::size_t floats) { return (floats + kBlockFloats - 1) / kBlockFloats; }
std::size_t bytes_of_marks(std::size_t floats) { return (blocks_of(floats) + 7) / 8; }

std::size_t size_of_block(std::size_t block, std::size_t floats) {
  return std::min(kBlockFloats, floats - block * kBlockFloats);
}

/// Returns true if each float is +0. Returns false if a float is -0, because adding +0 instead of -0 can change a
/// result: -0 + -0 is -0, but -0 + +0 is +0.
bool all_zero(std::span<const float> floats) {
  return std::ranges::all_of(floats, [](float value) { return std::bit_cast<std::uint32_t>(value) == 0; });
}

/// Returns the sum of `gradients` for the floats `range`. If there is only one gradient, returns the gradient's own
/// memory. Otherwise writes the sum to `scratch`, and returns the memory of `scratch`.
std::span<const float> sum_of(const Gradients& gradients, const Range& range, std::vector<float>& scratch) {
  if (gradients.size() == 1) return gradients.front().subspan(range.begin, range.size());
  scratch.resize(range.size());
  std::vector<const float*> sources(gradients.size());
  for_each_chunk(range, [&](const Range& chunk) {
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = gradients[i].data() + chunk.begin;
    tree_sum(sources.data(), sources.size(), chunk.size(), scratch.data() + (chunk.begin - range.begin));
  });
  return scratch;
}

}  // namespace

ServerExchange::ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices)
    : state_(std::move(state)), topology_(std::move(topology)), devices_(devices) {}

ServerExchange::ServerExchange(std::shared_ptr<const ServedState> state, Topology topology, int devices, Nodes nodes)
    : ServerExchange(std::move(state), std::move(topology), devices) {
  nodes_ = std::make_unique<Nodes>(std::move(nodes));
  held_ = std::make_unique<HeldObjects>(nodes_->store);
  announce();
}

void ServerExchange::announce() {
  const int self = nodes_->self;
  Transport& transport = nodes_->transport;
  const Range& own = nodes_->slices.at(static_cast<std::size_t>(self));
  const auto expect = [&](WindowId window, int from, std::span<float> floats) {
    transport.announce(window, from, std::as_writable_bytes(floats), kBlockFloats * sizeof(float));
  };
  incoming_.resize(static_cast<std::size_t>(num_ranks()));
  for (int rank = 0; rank < num_ranks() && !own.empty(); ++rank) {
    if (node_of(rank) == self) continue;
    mappings_.push_back(held_->create(state_->layout().id(ObjectKind::partial, rank), own.size() * sizeof(float)));
    Incoming& incoming = incoming_[static_cast<std::size_t>(rank)];
    incoming = {mappings_.back()->writable_floats().first(own.size()),
                std::vector<std::uint8_t>(bytes_of_marks(own.size())), std::vector<bool>(blocks_of(own.size()), true)};
    expect(window_pushed(rank), node_of(rank), incoming.floats);
    transport.announce(window_marks(rank), node_of(rank), std::as_writable_bytes(std::span(incoming.marks)),
                       incoming.marks.size());
  }
  for (int server = 0; server < static_cast<int>(nodes_->slices.size()); ++server) {
    const Range& slice = nodes_->slices[static_cast<std::size_t>(server)];
    if (server == self || slice.empty()) continue;
    for (int rank = 0; rank < num_ranks(); ++rank)
      if (node_of(rank) == self)
        expect(window_served(rank, server), server, state_->served(rank).subspan(slice.begin, slice.size()));
    for (int buffer = 0; buffer < state_->layout().buffers; ++buffer)
      expect(window_shared(server, buffer), server,
             state_->vector(kWeightsVector, buffer).subspan(slice.begin, slice.size()));
  }
}

WindowId ServerExchange::window_pushed(int rank) const { return static_cast<WindowId>(2 * rank); }
WindowId ServerExchange::window_marks(int rank) const { return static_cast<WindowId>(2 * rank + 1); }
WindowId ServerExchange::window_served(int rank, int server) const {
  return static_cast<WindowId>(2 * num_ranks() + rank * static_cast<int>(nodes_->slices.size()) + server);
}
WindowId ServerExchange::window_shared(int server, int buffer) const {
  return window_served(num_ranks(), server * state_->layout().buffers + buffer);
}

Gradients ServerExchange::gradients_of(int rank) const {
  const auto first = static_cast<std::size_t>(rank) * static_cast<std::size_t>(devices_);
  const Range shards = topology_.shards_of_lanes({first, first + static_cast<std::size_t>(devices_)});
  const Gradients& all = state_->gradients();
  return {all.begin() + static_cast<std::ptrdiff_t>(shards.begin),
          all.begin() + static_cast<std::ptrdiff_t>(shards.end)};
}

PushedSlice ServerExchange::pushed(int rank, const Range& slice, std::uint64_t ticket, const Deadline& deadline) {
  if (!across() || node_of(rank) == nodes_->self)
    return {gradients_of(rank), 0, static_cast<std::int64_t>(slice.size() * sizeof(float))};
  Incoming& incoming = incoming_.at(static_cast<std::size_t>(rank));
  nodes_->transport.wait(window_marks(rank), ticket, 0, deadline);
  PushedSlice pushed{{incoming.floats}, slice.begin};
  for (std::size_t block = 0; block < blocks_of(slice.size()); ++block) {
    const std::size_t floats = size_of_block(block, slice.size());
    const bool sent = (incoming.marks[block / 8] >> (block % 8) & 1) != 0;
    if (sent) {
      nodes_->transport.wait(window_pushed(rank), ticket, static_cast<std::uint32_t>(block), deadline);
      pushed.bytes += static_cast<std::int64_t>(floats * sizeof(float));
    } else if (!incoming.zero[block]) {
      std::ranges::fill(incoming.floats.subspan(block * kBlockFloats, floats), 0.0F);
    }
    incoming.zero[block] = !sent;
  }
  return pushed;
}

void ServerExchange::serve(int rank, const Range& slice, std::span<const float> weights, std::uint64_t ticket,
                           const Deadline& deadline) const {
  const auto part = weights.subspan(slice.begin, slice.size());
  if (across() && node_of(rank) != nodes_->self)
    return send(node_of(rank), window_served(rank, nodes_->self), part, ticket, deadline);
  std::memcpy(state_->served(rank).data() + slice.begin, part.data(), part.size_bytes());
}

std::int64_t ServerExchange::push(int rank, std::uint64_t ticket, const Deadline& deadline) const {
  const Gradients gradients = gradients_of(rank);
  std::int64_t bytes = 0;
  for (int node = 0; node < static_cast<int>(nodes_->slices.size()); ++node)
    if (node != nodes_->self && !nodes_->slices[static_cast<std::size_t>(node)].empty())
      bytes += push_to(node, gradients, rank, ticket, deadline);
  return bytes;
}

std::int64_t ServerExchange::push_to(int node, const Gradients& gradients, int rank, std::uint64_t ticket,
                                     const Deadline& deadline) const {
  const Range& slice = nodes_->slices[static_cast<std::size_t>(node)];
  std::vector<std::uint8_t> marks(bytes_of_marks(slice.size()));
  std::vector<float> scratch;
  std::size_t bytes = marks.size();
  for (std::size_t block = 0; block < blocks_of(slice.size()); ++block) {
    const std::size_t begin = slice.begin + block * kBlockFloats;
    const auto sum = sum_of(gradients, {begin, begin + size_of_block(block, slice.size())}, scratch);
    if (all_zero(sum)) continue;
    bytes += sum.size_bytes();
    marks[block / 8] = static_cast<std::uint8_t>(marks[block / 8] | 1U << (block % 8));
    nodes_->transport.send(node, window_pushed(rank), ticket, static_cast<std::uint32_t>(block), std::as_bytes(sum),
                           deadline);
  }
  nodes_->transport.send(node, window_marks(rank), ticket, 0, std::as_bytes(std::span(marks)), deadline);
  return static_cast<std::int64_t>(bytes);
}

std::int64_t ServerExchange::await_served(int rank, std::uint64_t ticket, const Deadline& deadline) const {
  std::size_t floats = 0;
  for (int server = 0; server < static_cast<int>(nodes_->slices.size()); ++server) {
    if (server == nodes_->self) continue;
    const Range& slice = nodes_->slices[static_cast<std::size_t>(server)];
    wait(server, window_served(rank, server), state_->served(rank).subspan(slice.begin, slice.size()), ticket,
         deadline);
    floats += slice.size();
  }
  return static_cast<std::int64_t>(floats * sizeof(float));
}

void ServerExchange::share(int buffer, std::uint64_t ticket, const Deadline& deadline) const {
  const auto weights = state_->vector(kWeightsVector, buffer);
  const int self = nodes_->self;
  const Range& own = nodes_->slices[static_cast<std::size_t>(self)];
  const int nodes = static_cast<int>(nodes_->slices.size());
  for (int node = 0; node < nodes; ++node)
    if (node != self) send(node, window_shared(self, buffer), weights.subspan(own.begin, own.size()), ticket, deadline);
  for (int node = 0; node < nodes; ++node) {
    const Range& slice = nodes_->slices[static_cast<std::size_t>(node)];
    if (node != self)
      wait(node, window_shared(node, buffer), weights.subspan(slice.begin, slice.size()), ticket, deadline);
  }
}

void ServerExchange::send(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
                          const Deadline& deadline) const {
  for (std::size_t block = 0; block < blocks_of(floats.size()); ++block)
    nodes_->transport.send(node, window, ticket, static_cast<std::uint32_t>(block),
                           std::as_bytes(floats.subspan(block * kBlockFloats, size_of_block(block, floats.size()))),
                           deadline);
}

void ServerExchange::wait(int node, WindowId window, std::span<const float> floats, std::uint64_t ticket,
                          const Deadline& deadline) const {
  bool finite = true;
  for (std::size_t block = 0; block < blocks_of(floats.size()); ++block) {
    nodes_->transport.wait(window, ticket, static_cast<std::uint32_t>(block), deadline);
    finite = finite && all_finite(floats.subspan(block * kBlockFloats, size_of_block(block, floats.size())));
  }
  if (!finite)
    throw Error(ErrorCode::protocol, "the node served weights that are not finite",
                {.node = nodes_->transport.name_of(node)});
}

}  // namespace troupe
