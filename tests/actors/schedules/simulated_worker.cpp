#include "actors/schedules/simulated_worker.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "actors/schedules/as_request.hpp"
#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/page_tree.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

/// The requests of the driver that reach a simulated worker.
using Requests = std::tuple<Compute, ReduceMean, Apply, Advance, Fence, Build, MakeSlabs, MapSlabs, Evaluate,
                            Initialize, ExportVector, ImportVector, Stop>;

}  // namespace

caf::message SimulatedWorker::carry_out(const caf::message& request, bool half) {
  half_ = half;
  return reply_to<Requests>(request, [this](const auto& asked, auto& reply) { work(asked, reply); });
}

caf::message SimulatedWorker::refuse(const caf::message& request) {
  return reply_to<Requests>(request, [](const auto& /*asked*/, auto& /*reply*/) {
    throw Error(ErrorCode::model_failed, "the model throws");
  });
}

void SimulatedWorker::check_ready(bool ready) {
  if (!ready) throw Error(ErrorCode::protocol, "the request is out of order");
}

Range SimulatedWorker::lanes() const {
  const auto lane = static_cast<std::size_t>(first_lane_);
  return {lane, lane + 1};
}

bool SimulatedWorker::stands_in(const std::vector<std::int32_t>& left_out) const {
  return backs_up_ && std::ranges::count(left_out, static_cast<std::int32_t>(lanes_before().begin)) > 0;
}

Gradients SimulatedWorker::gradients(const std::vector<std::int32_t>& left_out) const {
  const auto& workers = mapped_gradients_.at(0);
  Gradients all;
  for (const auto& each : workers) all.emplace_back(*each);
  for (const std::int32_t lane : left_out) {
    const Range of = plan_.topology.shards_of_lane(lane);
    for (std::size_t shard = of.begin; shard < of.end; ++shard) all[shard] = *mapped_gradients_.at(1)[shard];
  }
  return all;
}

Floats& SimulatedWorker::vector(int vector, int buffer) const {
  return slabs_->vectors.at(static_cast<std::size_t>(vector)).at(static_cast<std::size_t>(buffer));
}

Floats& SimulatedWorker::transfer(std::uint64_t number) const {
  const auto found = memory_.transfers.find(number);
  if (found == memory_.transfers.end()) throw Error(ErrorCode::store_failed, "there is no such object");
  return found->second;
}

/// As in real workers, the mean replaces a gradient at a slice that no other worker reads.
Floats& SimulatedWorker::kept_mean() const { return *own_.gradients.front(); }

void SimulatedWorker::work(const Build& request, Built& built) {
  plan_request_ = request.plan;
  first_lane_ = request.first_lane;
  built_ = true;
  mapped_ = false;
  slabs_.reset();
  own_ = {};
  backup_ = {};
  mapped_gradients_.clear();
  backs_up_ = request.backs_up;
  built.replicas = {{toy_.size, toy_.size, "toy", 0, 0, 0, 0}};
  built.tensor_names = {"w"};
  built.tensor_shapes = {{static_cast<std::int64_t>(toy_.size)}};
  built.replicas.front().tensors = checksum_of({{"w", built.tensor_shapes.front()}});
}

void SimulatedWorker::work(const MakeSlabs& request, Done& /*done*/) {
  slabs_.reset();
  mapped_ = false;
  check_ready(built_);
  if (request.optimizer != toy_.json || memory_.slabs->layout.generation != request.generation)
    throw Error(ErrorCode::store_failed, "the slabs do not exist");
  plan_ = make_plan(plan_request_, toy_.size);
  slabs_ = memory_.slabs;
  squares_ = {plan_.slice_of_lanes(lanes()), toy_.size};
  squares_before_ = {plan_.slice_of_lanes(lanes_before()), toy_.size};
  mapped_gradients_.clear();
  if (own_.gradients.empty() || made_for_ != request.gradients) make_gradients(request.gradients);
}

void SimulatedWorker::make_gradients(std::uint64_t made_for) {
  made_for_ = made_for;
  own_ = {shards()};
  backup_ = {};
  if (backs_up_) backup_ = {plan_.topology.shards_of_lanes(lanes_before())};
  for (const GradientOf whose : {GradientOf::worker, GradientOf::backup})
    for (std::size_t shard = portion(whose).shards.begin; shard < portion(whose).shards.end; ++shard) {
      portion(whose).gradients.push_back(std::make_shared<Floats>(toy_.size, Memory::kUnwritten));
      auto& known = memory_.gradients[slabs_->layout.gradient_id(whose, shard, made_for)];
      if (!known.expired()) throw Error(ErrorCode::store_failed, "the object exists already");
      known = portion(whose).gradients.back();
    }
}

void SimulatedWorker::work(const MapSlabs& request, Done& /*done*/) {
  check_ready(slabs_ != nullptr);
  const auto made_for = gradients_made_for(plan_.topology, request.gradients, 1);
  for (const GradientOf whose : {GradientOf::worker, GradientOf::backup}) {
    if (whose == GradientOf::backup && !backs_up_) continue;
    Mapped& mapped = mapped_gradients_.emplace_back();
    for (const std::uint64_t each : made_for[static_cast<std::size_t>(whose)])
      mapped.push_back(memory_.gradients[slabs_->layout.gradient_id(whose, mapped.size(), each)].lock());
    if (!slabs_->published || std::ranges::any_of(mapped, [](const auto& each) { return !each; }))
      throw Error(ErrorCode::store_failed, "the object to be mapped does not exist");
  }
  mapped_ = true;
}

void SimulatedWorker::work(const Compute& request, Computed& computed) {
  check_ready(mapped_ && (backs_up_ || !request.as_backup));
  const Floats& weights = vector(kWeightsVector, request.buffer);
  Portion& it = portion(request.as_backup ? GradientOf::backup : GradientOf::worker);
  if (it.belongs_to != std::pair{request.call, request.step}) it.computed = 0;
  it.belongs_to = {request.call, request.step};
  for (std::size_t i = 0; i < it.shards.size(); ++i) {
    const int shard = static_cast<int>(it.shards.begin + i);
    if (i >= it.computed) {
      toy_gradient(weights, shard, request.step, *it.gradients[i]);
      it.computed = i + 1;
    }
    if (half_) return;
    computed.shards.push_back(shard);
    computed.loss_bits.push_back(to_bits(toy_loss(weights, shard, request.step)));
    computed.samples.push_back(toy_samples(shard));
  }
}

void SimulatedWorker::work(const ReduceMean& request, MeanReduced& reduced) {
  check_ready(mapped_);
  own_.computed = 0;
  Floats& kept = kept_mean();
  const auto reduce = [&](const Range& of_lanes, PageSquares& squares) {
    const Range slice = plan_.slice_of_lanes(of_lanes);
    reduce_and_apply(gradients(request.left_out), request.samples, slice,
                     [&](std::size_t begin, std::span<const float> mean) {
                       std::ranges::copy(mean, kept.begin() + static_cast<std::ptrdiff_t>(begin));
                       squares.note(begin, mean);
                     });
    for (const double sum : subtree_sums(toy_.size, slice, squares.pages()))
      reduced.square_bits.push_back(to_bits(sum));
  };
  reduce(lanes(), squares_);
  if (stands_in(request.left_out)) reduce(lanes_before(), squares_before_);
}

void SimulatedWorker::work(const Apply& request, Applied& /*applied*/) {
  check_ready(mapped_);
  apply(request, plan_.slice_of_lanes(lanes()));
  if (stands_in(request.left_out)) apply(request, plan_.slice_of_lanes(lanes_before()));
}

void SimulatedWorker::apply(const Apply& request, Range range) {
  if (half_) range.end -= range.size() / 2;
  const auto updates = toy_.optimizer.prepare({from_bits(request.rate_bits), request.step, request.updates});
  const auto factor = static_cast<float>(from_bits(request.clip_bits));
  const auto update = [&](std::size_t begin, std::span<const float> mean) {
    Floats clipped(mean.begin(), mean.end());
    for (float& each : clipped) each *= factor;
    std::array<const float*, kMostStateVectors> from{};
    std::array<float*, kMostStateVectors> to{};
    for (int state = 0; state < toy_.optimizer.state_vectors(); ++state) {
      from[static_cast<std::size_t>(state)] = vector(1 + state, request.from).data() + begin;
      to[static_cast<std::size_t>(state)] = vector(1 + state, request.to).data() + begin;
    }
    updates[0]({mean.size(), clipped.data(), vector(kWeightsVector, request.from).data() + begin,
                vector(kWeightsVector, request.to).data() + begin, from.data(), to.data()});
  };
  if (toy_.optimizer.clips())
    reduce_and_apply({kept_mean()}, 1, range, update);
  else
    reduce_and_apply(gradients(request.left_out), request.samples, range, update);
}

void SimulatedWorker::work(const Advance& request, Advanced& advanced) {
  check_ready(mapped_);
  auto& computed = slabs_->computed.at(static_cast<std::size_t>(first_lane_));
  if (request.first) computed.clear();
  if (request.first == !computed.empty())
    throw std::logic_error("a worker loses gradients before a push, or pushes nothing");
  for (std::size_t at = shards().begin; at < shards().end; ++at) {
    const int shard = static_cast<int>(at);
    for (int each = 0; each < request.gradients; ++each) computed.push_back({process_, shard, request.step + each});
    if (half_) return;
    advanced.shards.push_back(shard);
    advanced.loss_bits.push_back(to_bits(1));
    advanced.samples.push_back(request.gradients * toy_samples(shard));
  }
}

void SimulatedWorker::work(const Evaluate& request, Evaluated& evaluated) {
  check_ready(mapped_);
  for (std::size_t at = shards().begin; at < shards().end; ++at) {
    const int shard = static_cast<int>(at);
    evaluated.shards.push_back(shard);
    evaluated.loss_bits.push_back(to_bits(toy_loss(vector(kWeightsVector, request.buffer), shard, -1)));
    evaluated.correct.push_back(1);
    evaluated.samples.push_back(toy_samples(shard));
  }
}

void SimulatedWorker::work(const Initialize& request, Done& /*done*/) {
  check_ready(slabs_ != nullptr);
  transfer(request.flat) = memory_.counts ? Floats(toy_.size) : toy_weights(toy_.size, 0);
}

void SimulatedWorker::work(const ExportVector& request, Done& /*done*/) {
  check_ready(slabs_ != nullptr);
  const auto canonical = reversed(vector(request.vector, request.buffer));
  const auto begin = canonical.begin() + static_cast<std::ptrdiff_t>(request.begin);
  transfer(request.canonical).assign(begin, begin + static_cast<std::ptrdiff_t>(request.floats));
}

void SimulatedWorker::work(const ImportVector& request, Done& /*done*/) {
  check_ready(slabs_ != nullptr);
  transfer(request.flat) = reversed(transfer(request.canonical));
}

}  // namespace troupe_test
