#include "collectives/plan/page_tree.hpp"

#include "collectives/plan/term_tree.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/processes/memory.hpp"

namespace troupe {
namespace {

std::size_t pages_in(std::size_t floats) { return (floats + kPageFloats - 1) / kPageFloats; }

}  // namespace

std::vector<Range> page_subtrees(std::size_t size, const Range& slice) {
  if (slice.empty()) return {};
  return complete_subtrees(pages_in(size), slice.begin / kPageFloats, pages_in(slice.end));
}

std::vector<double> subtree_sums(std::size_t size, const Range& slice, std::span<const double> pages) {
  std::vector<double> sums;
  const std::size_t first = slice.begin / kPageFloats;
  for (const Range& subtree : page_subtrees(size, slice))
    sums.push_back(tree_sum(pages.subspan(subtree.begin - first, subtree.size())));
  return sums;
}

double sum_of_subtrees(std::size_t size, std::span<const Range> slices, std::span<const double> sums) {
  std::vector<Range> terms;
  for (const Range& slice : slices)
    for (const Range& subtree : page_subtrees(size, slice)) terms.push_back(subtree);
  return TermTree(pages_in(size), terms).sum(sums);
}

}  // namespace troupe
