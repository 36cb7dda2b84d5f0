#include "collectives/exchange/lane_exchange.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <utility>

#include "collectives/plan/flows.hpp"
#include "collectives/plan/tree.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

struct LaneExchange::Call {
  const NodeExchange::Work& work;
  const ApplyChunk& apply;
  ExchangeReport report;
};

WindowId window_of(std::size_t flow, std::size_t buffer, std::size_t buffers) {
  return static_cast<WindowId>(buffers * flow + buffer);
}

LaneExchange::LaneExchange(const NodeWindows& node, int lane)
    : node_(node),
      plan_(*node.plan),
      lane_(lane),
      slice_(plan_.slice_of(lane)),
      program_(lane_program(plan_, lane)),
      node_shards_(plan_.topology.shards_of_node(plan_.topology.node_of(lane))),
      member_shards_(plan_.strategy == Strategy::ring ? plan_.topology.shards_of_lane(lane) : node_shards_),
      sources_(static_cast<std::size_t>(plan_.topology.num_shards)) {
  find_flows();
  if (!slice_.empty() && !plan_.ring_order) make_tree();
}

void LaneExchange::find_flows() {
  for (int index = 0; index < static_cast<int>(plan_.flows.size()); ++index) {
    const bool weights = flow(index).kind == Flow::Kind::weights;
    if (flow(index).owner != lane_) continue;
    if (weights && flow(index).from_lane == lane_) weights_out_.push_back(index);
    if (!weights && flow(index).to_lane == lane_) sums_in_.push_back(index);
  }
}

void LaneExchange::make_tree() {
  for (std::size_t shard = node_shards_.begin; shard < node_shards_.end; ++shard)
    terms_.push_back({{shard, shard + 1}});
  for (const int index : sums_in_) terms_.push_back({flow(index).shards, index});
  std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.shards.begin < b.shards.begin; });
  std::vector<Range> leaves;
  leaves.reserve(terms_.size());
  for (const Term& term : terms_) leaves.push_back(term.shards);
  tree_.emplace(sources_.size(), leaves);
}

Range LaneExchange::segment_of(int owner, std::uint32_t segment) const {
  const Range& slice = plan_.slice_of(owner);
  const std::size_t floats = segment_floats(slice.size());
  const std::size_t begin = slice.begin + segment * floats;
  return {begin, std::min(begin + floats, slice.end)};
}

WindowId LaneExchange::window(const Call& call, int index) const {
  const bool weights = flow(index).kind == Flow::Kind::weights;
  return window_of(static_cast<std::size_t>(index), weights ? static_cast<std::size_t>(call.work.buffer) : 0,
                   node_.weights.size());
}

std::span<float> LaneExchange::staged(int index, const Range& range) const {
  const Range& slice = plan_.slice_of(flow(index).owner);
  return node_.staging[static_cast<std::size_t>(index)].subspan(range.begin - slice.begin, range.size());
}

std::span<const float> LaneExchange::written(const Call& call, const Range& range) const {
  return node_.weights[static_cast<std::size_t>(call.work.buffer)].subspan(range.begin, range.size());
}

ExchangeReport LaneExchange::run(const NodeExchange::Work& work, const ApplyChunk& apply_chunk) {
  Call call{work, apply_chunk, {}};
  for (std::size_t done = take_started(call); done < program_.size(); ++done) perform(call, program_[done]);
  return call.report;
}

ExchangeReport LaneExchange::reduce(const NodeExchange::Work& work, const ApplyChunk& keep) {
  Call call{work, keep, {}};
  for (std::size_t done = take_started(call); done < program_.size(); ++done) {
    const LaneOperation& operation = program_[done];
    if (operation.kind == LaneOperation::Kind::apply)
      reduce_segment(call, operation);
    else if (operation.kind != LaneOperation::Kind::collect)
      perform(call, operation);
  }
  return call.report;
}

ExchangeReport LaneExchange::share(const NodeExchange::Work& work, std::span<const float> mean,
                                   const ApplyChunk& apply_chunk) {
  Call call{work, apply_chunk, {}};
  const SumChunk kept = [mean](const Range& chunk, float* out) {
    std::copy_n(mean.data() + chunk.begin, chunk.size(), out);
  };
  for (const LaneOperation& operation : program_) {
    if (operation.kind == LaneOperation::Kind::collect) collect(call, operation);
    if (operation.kind != LaneOperation::Kind::apply) continue;
    apply_segment(call, segment_of(lane_, operation.segment), kept, 1);
    send_weights(call, operation);
  }
  return call.report;
}

std::size_t LaneExchange::take_started(Call& call) {
  passed_non_finite_.clear();
  const Started started = std::exchange(started_, Started());
  if (started.ticket != call.work.ticket) return 0;
  if (started.failure) std::rethrow_exception(started.failure);
  call.report.bytes_sent = started.bytes_sent;
  return started.operations;
}

void LaneExchange::start(const NodeExchange::Work& work) {
  const ApplyChunk no_apply;
  Call call{work, no_apply, {}};
  started_ = {};
  started_.ticket = work.ticket;
  const auto needs_nobody = [](const LaneOperation& operation) {
    return operation.kind == LaneOperation::Kind::contribute ||
           (operation.kind == LaneOperation::Kind::pass_sum && operation.in < 0);
  };
  try {
    for (std::size_t& done = started_.operations; done < program_.size() && needs_nobody(program_[done]); ++done)
      perform(call, program_[done]);
  } catch (...) {
    started_.failure = std::current_exception();
  }
  started_.bytes_sent = call.report.bytes_sent;
}

void LaneExchange::perform(Call& call, const LaneOperation& operation) {
  switch (operation.kind) {
    case LaneOperation::Kind::contribute:
      return add_and_send(call, operation, flow(operation.out).shards);
    case LaneOperation::Kind::pass_sum:
      return pass_sum(call, operation);
    case LaneOperation::Kind::apply:
      reduce_segment(call, operation);
      return send_weights(call, operation);
    case LaneOperation::Kind::collect:
      return collect(call, operation);
  }
}

void LaneExchange::send(Call& call, int index, std::uint32_t segment, std::span<const float> floats) const {
  const Flow& sent = flow(index);
  const Stopwatch watch;
  node_.transport->send(sent.to_node, window(call, index), call.work.ticket, segment, std::as_bytes(floats),
                        call.work.deadline);
  call.report.wait_seconds += watch.seconds();
  if (sent.to_node != sent.from_node) call.report.bytes_sent += static_cast<std::int64_t>(floats.size_bytes());
}

void LaneExchange::wait(Call& call, int index, std::uint32_t segment) const {
  const Stopwatch watch;
  node_.transport->wait(window(call, index), call.work.ticket, segment, call.work.deadline);
  call.report.wait_seconds += watch.seconds();
}

void LaneExchange::add_and_send(Call& call, const LaneOperation& operation, const Range& shards) {
  const Range segment = segment_of(flow(operation.out).owner, operation.segment);
  if (shards.size() == 1) {  // the sum of one shard is its gradient, which is sent without copying
    const auto& gradient = (*call.work.gradients)[shards.begin];
    return send(call, operation.out, operation.segment, gradient.subspan(segment.begin, segment.size()));
  }
  const Stopwatch watch;
  sent_sum_.resize(std::max(sent_sum_.size(), segment.size()));
  for_each_chunk(segment, [&](const Range& chunk) {
    sum_shards(call, shards, chunk, sent_sum_.data() + (chunk.begin - segment.begin));
  });
  call.report.reduce_seconds += watch.seconds();
  send(call, operation.out, operation.segment, {sent_sum_.data(), segment.size()});
}

void LaneExchange::pass_sum(Call& call, const LaneOperation& operation) {
  if (operation.in < 0) return add_and_send(call, operation, member_shards_);
  wait(call, operation.in, operation.segment);
  const Range segment = segment_of(flow(operation.out).owner, operation.segment);
  const Stopwatch watch;
  if (!all_finite(staged(operation.in, segment))) passed_non_finite_.insert(operation.in);
  alignas(64) std::array<float, kTreeChunk> own;
  for_each_chunk(segment, [&](const Range& chunk) {
    sum_shards(call, member_shards_, chunk, own.data());
    add_to(staged(operation.in, chunk).data(), own.data(), chunk.size());
  });
  call.report.reduce_seconds += watch.seconds();
  send(call, operation.out, operation.segment, staged(operation.in, segment));
}

void LaneExchange::reduce_segment(Call& call, const LaneOperation& operation) {
  for (const int index : sums_in_) wait(call, index, operation.segment);
  const auto sum = [&](const Range& chunk, float* out) {
    tree_ ? sum_terms(call, chunk, out) : sum_members(call, chunk, out);
  };
  apply_segment(call, segment_of(lane_, operation.segment), std::ref(sum), call.work.samples);
}

void LaneExchange::apply_segment(Call& call, const Range& segment, const SumChunk& sum, std::int64_t divisor) const {
  const ReduceSeconds spent = apply_mean(sum, divisor, segment, call.apply);
  call.report.reduce_seconds += spent.reduce;
  call.report.apply_seconds += spent.apply;
}

void LaneExchange::send_weights(Call& call, const LaneOperation& operation) const {
  const Range segment = segment_of(lane_, operation.segment);
  for (const int index : weights_out_) send(call, index, operation.segment, written(call, segment));
}

void LaneExchange::collect(Call& call, const LaneOperation& operation) {
  wait(call, operation.in, operation.segment);
  const Flow& came = flow(operation.in);
  const auto floats = written(call, segment_of(came.owner, operation.segment));
  // Check each segment as soon as it has arrived, while other segments are still being sent.
  if (came.from_node != came.to_node && !all_finite(floats)) call.report.not_finite_from = came.from_node;
  if (operation.out >= 0) send(call, operation.out, operation.segment, floats);
}

void LaneExchange::sum_shards(const Call& call, const Range& shards, const Range& chunk, float* sum) {
  for (std::size_t i = 0; i < shards.size(); ++i)
    sources_[i] = (*call.work.gradients)[shards.begin + i].data() + chunk.begin;
  tree_sum(sources_.data(), shards.size(), chunk.size(), sum);
}

void LaneExchange::sum_terms(const Call& call, const Range& chunk, float* sum) {
  for (std::size_t i = 0; i < terms_.size(); ++i)
    sources_[i] = terms_[i].flow < 0 ? (*call.work.gradients)[terms_[i].shards.begin].data() + chunk.begin
                                     : staged(terms_[i].flow, chunk).data();
  tree_->sum(sources_.data(), chunk.size(), sum);
}

void LaneExchange::sum_members(const Call& call, const Range& chunk, float* sum) {
  const float* running = sums_in_.empty() ? nullptr : staged(sums_in_.front(), chunk).data();
  if (member_shards_.empty()) {
    std::copy_n(running, chunk.size(), sum);
    return;
  }
  sum_shards(call, member_shards_, chunk, sum);
  if (running) add_to(sum, running, chunk.size());
}

}  // namespace troupe
