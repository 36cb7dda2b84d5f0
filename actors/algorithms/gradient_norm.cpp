#include "actors/algorithms/gradient_norm.hpp"

#include <cmath>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

#include "actors/rounds/reply_checks.hpp"
#include "collectives/plan/page_tree.hpp"

namespace troupe {

namespace {

using SlicesOf = std::function<std::vector<Range>(int worker)>;

template <class Reply>
double squared_length(const StepContext& context, const SlicesOf& slices_of, const std::vector<From<Reply>>& replies,
                      const Phase& phase) {
  const std::size_t size = context.model.traits.size;
  std::map<std::size_t, std::pair<Range, std::span<const std::uint64_t>>> in_order;  // by the start of the slice
  for (const auto& [worker, reply] : replies) {
    const std::vector<Range> slices = slices_of(worker);
    std::size_t subtrees = 0;
    for (const Range& slice : slices) subtrees += page_subtrees(size, slice).size();
    if constexpr (std::is_same_v<Reply, MeanReduced>)
      check_reply(reply, subtrees, context.rounds.where(worker, phase));
    else
      check_squares(reply.square_bits, subtrees, context.rounds.where(worker, phase));
    std::span<const std::uint64_t> left(reply.square_bits);
    for (const Range& slice : slices) {
      const std::size_t count = page_subtrees(size, slice).size();
      if (count > 0) in_order[slice.begin] = {slice, left.first(count)};
      left = left.subspan(count);
    }
  }
  std::vector<Range> slices;
  std::vector<double> sums;
  for (const auto& [begin, part] : in_order) {
    slices.push_back(part.first);
    for (const std::uint64_t bits : part.second) sums.push_back(from_bits(bits));
  }
  return sum_of_subtrees(size, slices, sums);
}

}  // namespace

GradientNorm gradient_norm(const StepContext& context, const SlicesOf& slices_of,
                           const std::vector<From<MeanReduced>>& replies, const Phase& phase) {
  GradientNorm found;
  found.norm = std::sqrt(squared_length(context, slices_of, replies, phase));
  for (const auto& [worker, reply] : replies)
    if (!are_finite(reply.square_bits)) found.non_finite.push_back(worker);
  return found;
}

double sum_of_squares(const StepContext& context, const std::vector<From<Applied>>& replies, const Phase& phase) {
  const auto slices_of = [&](int worker) {
    return std::vector<Range>{context.plan.slice_of_lanes(context.members.lanes_of(worker))};
  };
  for (const auto& [worker, reply] : replies)
    if (!are_finite(reply.square_bits))
      throw Error(ErrorCode::protocol, "invalid reply: a sum of squares is not finite, although all values are",
                  context.rounds.where(worker, phase));
  return squared_length(context, slices_of, replies, phase);
}

}  // namespace troupe
