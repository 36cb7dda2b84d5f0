#include "actors/algorithms/lbfgs/lbfgs_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "actors/algorithms/non_finite_search.hpp"
#include "actors/messages/lbfgs.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "collectives/exchange/piece_products.hpp"

namespace troupe {
namespace {

void add_to(std::vector<double>& sums, const std::vector<double>& more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

}  // namespace

Phase LbfgsRounds::phase(const char* name) const {
  return {name, context_.versions.committed().step + 1, Deadline(context_.options.timeouts.step)};
}

int LbfgsRounds::direction_of(std::int64_t updates) const {
  return 1 + static_cast<int>(updates % (options_.history + 1));
}

int LbfgsRounds::change_of(std::int64_t update) const {
  return 1 + options_.history + 1 + static_cast<int>(update % options_.history);
}

int LbfgsRounds::gradient() const { return 1 + 2 * options_.history + 1; }

std::vector<std::int32_t> LbfgsRounds::vectors_of(int pairs, std::int64_t updates) const {
  std::vector<std::int32_t> vectors;
  for (std::int64_t pair = updates - pairs; pair < updates; ++pair) vectors.push_back(direction_of(pair));
  for (std::int64_t pair = updates - pairs; pair < updates; ++pair) vectors.push_back(change_of(pair));
  vectors.push_back(gradient());
  return vectors;
}

template <class Request>
std::vector<From<typename Request::Reply>> LbfgsRounds::ask(Request request, const char* name, double& seconds) {
  const Stopwatch watch;
  const Phase at = phase(name);
  request.timeout_ms = at.deadline.left().count();
  auto replies = context_.rounds.ask(request, context_.appliers, at);
  seconds += watch.seconds();
  return replies;
}

template <class Reply>
std::vector<double> LbfgsRounds::sums_of(const std::vector<From<Reply>>& replies, std::size_t products,
                                         const char* name) const {
  std::vector<Range> owners;
  for (const auto& [worker, reply] : replies) {
    const Range slice = context_.plan.slice_of_lanes(context_.members.lanes_of(worker));
    owners.push_back(pieces_of(context_.model.traits.size, slice));
    check_sums(reply.sum_bits, products * piece_subtrees(owners.back()), context_.rounds.where(worker, phase(name)));
  }
  std::vector<double> sums;
  for (std::size_t which = 0; which < products; ++which) {
    std::vector<double> parts;
    for (std::size_t owner = 0; owner < owners.size(); ++owner) {
      const std::size_t count = piece_subtrees(owners[owner]);
      for (std::size_t i = 0; i < count; ++i)
        parts.push_back(from_bits(replies[owner].reply.sum_bits[which * count + i]));
    }
    sums.push_back(sum_of_pieces(owners, parts));
  }
  return sums;
}

template <class Reply>
void LbfgsRounds::note_apply(const std::vector<From<Reply>>& replies, const char* name) {
  std::vector<double> apply(static_cast<std::size_t>(context_.members.num_workers()));
  for (const auto& [worker, reply] : replies) {
    check_seconds(reply.seconds_bits, context_.rounds.where(worker, phase(name)));
    apply[static_cast<std::size_t>(context_.members.rank_of(worker))] = from_bits(reply.seconds_bits);
  }
  add_to(seconds_.apply, apply);
}

ObjectivePoint LbfgsRounds::evaluate(int buffer, std::int64_t step, int direction) {
  const Stopwatch watch;
  const PortionSums sums =
      compute_portions(context_, buffer, options_.full_batch ? -1 : step, options_.backup_portions, phase("compute"));
  seconds_.compute_all += watch.seconds();
  add_to(seconds_.compute, sums.seconds);
  add_to(seconds_.data, sums.data_seconds);
  ++report_.evaluations;
  report_.portions += context_.plan.topology.num_shards;
  report_.backups += sums.backups;
  report_.backups_won += sums.won;
  samples_ += sums.samples;
  counts_ += sums.counts;
  add_correct(sums.correct, correct_);
  if (sums.samples <= 0)
    throw Error(ErrorCode::bad_data, "no shard has a sample",
                {.phase = "compute", .step = context_.versions.committed().step + 1});
  ReduceGradient request;
  request.slabs = sums.slabs;
  request.samples = sums.samples;
  request.buffer = buffer;
  request.direction = direction;
  const auto replies = ask(request, "reduce", seconds_.reduce);
  const std::vector<double> products = sums_of(replies, 3, "reduce");
  ObjectivePoint found;
  found.loss = sums.loss_sum / static_cast<double>(sums.samples);
  found.value = found.loss + products[2];
  found.slope = products[0];
  found.squared_length = products[1];
  for (const auto& [worker, reply] : replies) {
    check_sent(reply.seconds_bits, reply.bytes_sent, context_.rounds.where(worker, phase("reduce")));
    const double largest = from_bits(reply.largest_bits);
    found.largest = largest > found.largest || std::isnan(largest) ? largest : found.largest;
    // The middle third of the sums: the partial sums of the scalar product of the gradient with itself.
    const auto parts = std::span(reply.sum_bits).subspan(reply.sum_bits.size() / 3, reply.sum_bits.size() / 3);
    if (!are_finite(parts) && found.non_finite_at < 0) found.non_finite_at = worker;
    bytes_sent_ += reply.bytes_sent;
  }
  return found;
}

void LbfgsRounds::take_gradient() {
  Remember request;
  request.gradient = gradient();
  note_apply(ask(request, "remember", seconds_.apply_all), "remember");
}

bool LbfgsRounds::move(int pairs, std::int64_t updates, double length, const std::vector<double>& coefficients,
                       int to) {
  MoveAlong request;
  request.from = context_.versions.buffer();
  request.to = to;
  request.direction = direction_of(updates);
  request.length_bits = to_bits(length);
  if (!coefficients.empty()) request.vectors = vectors_of(pairs, updates);
  for (const double coefficient : coefficients) request.coefficient_bits.push_back(to_bits(coefficient));
  const auto replies = ask(request, "apply", seconds_.apply_all);
  bool finite = true;
  for (const auto& [worker, reply] : replies) {
    check_sent(reply.seconds_bits, reply.bytes_sent, context_.rounds.where(worker, phase("apply")));
    finite = finite && reply.finite;
    bytes_sent_ += reply.bytes_sent;
  }
  note_apply(replies, "apply");
  if (finite) check_senders(context_, replies, phase("apply"));
  return finite;
}

void LbfgsRounds::remember(Products& products, std::int64_t updates, bool pair, double length) {
  if (pair && products.pairs() == options_.history) products.forget_oldest();
  const int pairs = products.pairs() + (pair ? 1 : 0);
  Remember request;
  request.gradient = gradient();
  request.length_bits = to_bits(length);
  request.columns = vectors_of(pairs, updates);
  request.rows = {request.gradient};
  if (pair) {
    request.change = change_of(updates - 1);
    request.rows = {direction_of(updates - 1), request.change, request.gradient};
  }
  const auto replies = ask(request, "remember", seconds_.apply_all);
  const std::size_t rows = request.rows.size();
  const std::vector<double> sums = sums_of(replies, rows * request.columns.size(), "remember");
  note_apply(replies, "remember");
  std::vector<std::vector<double>> by_row(rows);
  for (std::size_t i = 0; i < sums.size(); ++i) by_row[i % rows].push_back(sums[i]);
  if (pair)
    products.append(by_row[0], by_row[1], by_row[2]);
  else
    products.set_gradient(by_row[0]);
}

Products LbfgsRounds::all_products(std::int64_t updates) {
  const int pairs = static_cast<int>(std::min<std::int64_t>(updates, options_.history));
  Products products(pairs);
  const std::vector<std::int32_t> vectors = vectors_of(pairs, updates);
  constexpr std::size_t kRows = 3;
  for (std::size_t first = 0; first < vectors.size(); first += kRows) {
    Remember request;
    request.takes = false;
    request.gradient = gradient();
    const std::size_t rows = std::min(kRows, vectors.size() - first);
    request.rows.assign(vectors.begin() + static_cast<std::ptrdiff_t>(first),
                        vectors.begin() + static_cast<std::ptrdiff_t>(first + rows));
    request.columns = vectors;
    const auto replies = ask(request, "remember", seconds_.apply_all);
    const std::vector<double> sums = sums_of(replies, rows * vectors.size(), "remember");
    for (std::size_t i = 0; i < sums.size(); ++i)
      products.at(static_cast<int>(first + i % rows), static_cast<int>(i / rows)) = sums[i];
  }
  return products;
}

void LbfgsRounds::tell(StepReport& report) const {
  report.seconds = seconds_;
  const auto workers = static_cast<std::size_t>(context_.members.num_workers());
  for (auto* const each : {&report.seconds.compute, &report.seconds.apply, &report.seconds.data}) each->resize(workers);
  report.lbfgs = report_;
  report.samples = samples_;
  counts_.add_to(report);
  if (samples_ > 0) report.correct = correct_;
  report.bytes_sent = bytes_sent_;
}

}  // namespace troupe
