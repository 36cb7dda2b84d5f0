#include "actors/algorithms/gradient_norm.hpp"

#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "actors/rounds/reply_checks.hpp"
#include "collectives/plan/page_tree.hpp"

namespace troupe {

double gradient_norm(const StepContext& context, const std::function<std::vector<Range>(int worker)>& slices_of,
                     const std::vector<From<MeanReduced>>& replies, const Phase& phase) {
  const std::size_t size = context.model.traits.size;
  std::map<std::size_t, std::pair<Range, std::span<const std::uint64_t>>> in_order;  // by a slice's begin
  for (const auto& [worker, reply] : replies) {
    const std::vector<Range> slices = slices_of(worker);
    std::size_t subtrees = 0;
    for (const Range& slice : slices) subtrees += page_subtrees(size, slice).size();
    check_reply(reply, subtrees, context.rounds.where(worker, phase));
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
  return std::sqrt(sum_of_subtrees(size, slices, sums));
}

}  // namespace troupe
