#include "actors/algorithms/gradient_norm.hpp"

#include <cmath>

#include "actors/rounds/reply_checks.hpp"
#include "collectives/plan/page_tree.hpp"

namespace troupe {

double gradient_norm(const StepContext& context, const std::vector<From<MeanReduced>>& replies, const Phase& phase) {
  const std::size_t size = context.model.traits.size;
  std::vector<Range> slices;
  std::vector<double> sums;
  for (const auto& [worker, reply] : replies) {
    slices.push_back(context.plan.slice_of_lanes(context.members.lanes_of(worker)));
    check_reply(reply, page_subtrees(size, slices.back()).size(), context.rounds.where(worker, phase));
    for (const std::uint64_t bits : reply.square_bits) sums.push_back(from_bits(bits));
  }
  return std::sqrt(sum_of_subtrees(size, slices, sums));
}

}  // namespace troupe
