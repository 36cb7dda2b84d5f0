#include "collectives/exchange/lane_exchange.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <utility>

#include "collectives/plan/flows.hpp"
#include "collectives/plan/tree.hpp"

namespace troupe {

struct LaneExchange::Call {
  const NodeExchange::Work& work;
  const ApplyChunk& apply;
  ExchangeReport report;
};

WindowId window_of(std::size_t flow, int buffer) {
  return static_cast<WindowId>(2 * flow) + static_cast<WindowId>(buffer);
}

LaneExchange::LaneExchange(const NodeWindows& node, int lane)
    : node_(node),
      plan_(*node.plan),
      lane_(lane),
      slice_(plan_.slices[static_cast<std::size_t>(lane)]),
      program_(lane_program(plan_, lane)) {
  const int own_node = plan_.topology.node_of_lane[static_cast<std::size_t>(lane)];
  member_shards_ =
      plan_.strategy == Strategy::ring ? plan_.topology.shards_of_lane(lane) : plan_.topology.shards_of_node(own_node);
  sources_.resize(static_cast<std::size_t>(plan_.topology.num_shards));
  find_inputs();
  std::size_t longest = 0;
  for (const Operation& operation : program_) {
    const bool sums = operation.kind == Operation::Kind::contribute ||
                      (operation.kind == Operation::Kind::pass_sum && operation.in < 0);
    if (!sums) continue;
    const Flow& flow = plan_.flows[static_cast<std::size_t>(operation.out)];
    const bool straight = plan_.ring_order ? member_shards_.size() == 1 : flow.shards.size() == 1;
    if (!straight) longest = std::max(longest, segment_of(flow.owner, operation.segment).count);
  }
  sent_sum_.resize(longest);
}

void LaneExchange::find_inputs() {
  for (std::size_t i = 0; i < plan_.flows.size(); ++i) {
    const Flow& flow = plan_.flows[i];
    if (flow.owner != lane_) continue;
    if (flow.kind == Flow::Kind::weights && flow.from_lane == lane_) weights_out_.push_back(static_cast<int>(i));
    if (flow.kind != Flow::Kind::weights && flow.to_lane == lane_) sums_in_.push_back(static_cast<int>(i));
  }
  if (slice_.empty() || plan_.ring_order) return;
  const auto num_shards = static_cast<std::size_t>(plan_.topology.num_shards);
  std::vector<std::pair<Range, Term>> terms;
  const Range own = plan_.topology.shards_of_node(plan_.topology.node_of(lane_));
  for (std::size_t shard = own.begin; shard < own.end; ++shard)
    terms.push_back({{shard, shard + 1}, {.shard = static_cast<int>(shard)}});
  for (const int index : sums_in_) {
    const Flow& flow = plan_.flows[static_cast<std::size_t>(index)];
    terms.push_back({flow.shards, {.flow = index}});
  }
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::vector<Range> leaves;
  for (const auto& [shards, term] : terms) {
    leaves.push_back(shards);
    terms_.push_back(term);
  }
  tree_.emplace(num_shards, leaves);
}

LaneExchange::Segment LaneExchange::segment_of(int owner, std::uint32_t segment) const {
  const std::size_t size = plan_.slices[static_cast<std::size_t>(owner)].size();
  const std::size_t floats = segment_floats(size);
  return {segment * floats, std::min(floats, size - segment * floats)};
}

ExchangeReport LaneExchange::run(const NodeExchange::Work& work, const ApplyChunk& apply_chunk) {
  Call call{work, apply_chunk, {}};
  if (plan_.flows.empty()) {  // one node: the whole slice at once
    call.report.spent = reduce_and_apply(*work.gradients, work.samples, slice_, apply_chunk);
    return call.report;
  }
  const Started started = std::exchange(started_, Started());
  std::size_t done = 0;
  if (started.ticket == work.ticket) {
    if (started.failure) std::rethrow_exception(started.failure);
    done = started.operations;
    call.report.bytes_sent = started.bytes_sent;
  }
  for (; done < program_.size(); ++done) perform(call, program_[done]);
  return call.report;
}

void LaneExchange::start(const NodeExchange::Work& work) {
  const ApplyChunk no_apply;
  Call call{work, no_apply, {}};
  started_ = {};
  started_.ticket = work.ticket;
  const auto needs_nobody = [](const Operation& operation) {
    return operation.kind == Operation::Kind::contribute ||
           (operation.kind == Operation::Kind::pass_sum && operation.in < 0);
  };
  try {
    for (std::size_t& done = started_.operations; done < program_.size() && needs_nobody(program_[done]); ++done)
      perform(call, program_[done]);
  } catch (...) {
    started_.failure = std::current_exception();
  }
  started_.bytes_sent = call.report.bytes_sent;
}

void LaneExchange::perform(Call& call, const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::contribute:
      return contribute(call, operation);
    case Operation::Kind::pass_sum:
      return pass_sum(call, operation);
    case Operation::Kind::apply:
      return apply(call, operation);
    case Operation::Kind::collect:
      return collect(call, operation);
  }
}

void LaneExchange::send(Call& call, int index, std::uint32_t segment, std::span<const float> floats) const {
  const Flow& flow = plan_.flows[static_cast<std::size_t>(index)];
  const int buffer = flow.kind == Flow::Kind::weights ? call.work.buffer : 0;
  const Stopwatch watch;
  node_.transport->send(flow.to_node, window_of(static_cast<std::size_t>(index), buffer), call.work.ticket, segment,
                        std::as_bytes(floats), call.work.deadline);
  call.report.wait_seconds += watch.seconds();
  if (flow.to_node != flow.from_node) call.report.bytes_sent += static_cast<std::int64_t>(floats.size_bytes());
}

void LaneExchange::wait(Call& call, int index, std::uint32_t segment) const {
  const bool weights = plan_.flows[static_cast<std::size_t>(index)].kind == Flow::Kind::weights;
  const Stopwatch watch;
  node_.transport->wait(window_of(static_cast<std::size_t>(index), weights ? call.work.buffer : 0), call.work.ticket,
                        segment, call.work.deadline);
  call.report.wait_seconds += watch.seconds();
}

void LaneExchange::contribute(Call& call, const Operation& operation) {
  const Flow& flow = plan_.flows[static_cast<std::size_t>(operation.out)];
  add_and_send(call, operation, flow.shards);
}

void LaneExchange::add_and_send(Call& call, const Operation& operation, const Range& shards) {
  const int owner = plan_.flows[static_cast<std::size_t>(operation.out)].owner;
  const Segment segment = segment_of(owner, operation.segment);
  const std::size_t begin = plan_.slices[static_cast<std::size_t>(owner)].begin + segment.begin;
  if (shards.size() == 1) {  // from where it lies
    send(call, operation.out, operation.segment, (*call.work.gradients)[shards.begin].subspan(begin, segment.count));
    return;
  }
  const Stopwatch watch;
  for (std::size_t at = 0; at < segment.count; at += kTreeChunk)
    sum_shards(call, shards, begin + at, std::min(kTreeChunk, segment.count - at), sent_sum_.data() + at);
  call.report.spent.reduce += watch.seconds();
  send(call, operation.out, operation.segment, {sent_sum_.data(), segment.count});
}

void LaneExchange::pass_sum(Call& call, const Operation& operation) {
  if (operation.in < 0) {
    add_and_send(call, operation, member_shards_);
    return;
  }
  wait(call, operation.in, operation.segment);
  const int owner = plan_.flows[static_cast<std::size_t>(operation.out)].owner;
  const Segment segment = segment_of(owner, operation.segment);
  const std::size_t begin = plan_.slices[static_cast<std::size_t>(owner)].begin + segment.begin;
  const auto running = node_.staging[static_cast<std::size_t>(operation.in)].subspan(segment.begin, segment.count);
  const Stopwatch watch;
  alignas(64) std::array<float, kTreeChunk> own;
  for (std::size_t at = 0; at < segment.count; at += kTreeChunk) {
    const std::size_t count = std::min(kTreeChunk, segment.count - at);
    sum_shards(call, member_shards_, begin + at, count, own.data());
    add_to(running.data() + at, own.data(), count);
  }
  call.report.spent.reduce += watch.seconds();
  send(call, operation.out, operation.segment, running);
}

void LaneExchange::apply(Call& call, const Operation& operation) {
  for (const int flow : sums_in_) wait(call, flow, operation.segment);
  const Segment segment = segment_of(lane_, operation.segment);
  const std::size_t begin = slice_.begin + segment.begin;
  const auto sum = [&](std::size_t at, std::size_t count, float* out) { sum_terms(call, at, count, out); };
  const ReduceSeconds spent = apply_mean(std::ref(sum), call.work.samples, {begin, begin + segment.count}, call.apply);
  call.report.spent.reduce += spent.reduce;
  call.report.spent.apply += spent.apply;
  const auto written = node_.weights[static_cast<std::size_t>(call.work.buffer)];
  for (const int flow : weights_out_) send(call, flow, operation.segment, written.subspan(begin, segment.count));
}

void LaneExchange::collect(Call& call, const Operation& operation) {
  wait(call, operation.in, operation.segment);
  if (operation.out < 0) return;
  const int owner = plan_.flows[static_cast<std::size_t>(operation.out)].owner;
  const Segment segment = segment_of(owner, operation.segment);
  const std::size_t begin = plan_.slices[static_cast<std::size_t>(owner)].begin + segment.begin;
  const auto written = node_.weights[static_cast<std::size_t>(call.work.buffer)];
  send(call, operation.out, operation.segment, written.subspan(begin, segment.count));
}

void LaneExchange::sum_shards(const Call& call, const Range& shards, std::size_t begin, std::size_t count, float* sum) {
  for (std::size_t i = 0; i < shards.size(); ++i) sources_[i] = (*call.work.gradients)[shards.begin + i].data() + begin;
  tree_sum(sources_.data(), shards.size(), count, sum);
}

void LaneExchange::sum_terms(const Call& call, std::size_t begin, std::size_t count, float* sum) {
  const std::size_t in_slice = begin - slice_.begin;
  if (tree_) {
    for (std::size_t i = 0; i < terms_.size(); ++i)
      sources_[i] = terms_[i].flow < 0
                        ? (*call.work.gradients)[static_cast<std::size_t>(terms_[i].shard)].data() + begin
                        : node_.staging[static_cast<std::size_t>(terms_[i].flow)].data() + in_slice;
    tree_->sum(sources_.data(), count, sum);
    return;
  }
  // In ring order one sum comes in, if any other member has shards.
  const float* running =
      sums_in_.empty() ? nullptr : node_.staging[static_cast<std::size_t>(sums_in_.front())].data() + in_slice;
  if (member_shards_.size() > 0) sum_shards(call, member_shards_, begin, count, sum);
  if (running && member_shards_.size() > 0) add_to(sum, running, count);
  if (member_shards_.size() == 0) std::copy_n(running, count, sum);
}

}  // namespace troupe
