#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// The upper part of a fixed tree. Its inputs, called terms, are sums of complete subtrees of the fixed tree. A
/// TermTree adds the terms in the order in which the fixed tree adds them.
class TermTree {
 public:
  /// @param num_leaves the number of leaves of the fixed tree
  /// @param terms by term: the leaves that the term covers. Each range is a complete subtree, and together the ranges
  /// cover all leaves in order
  /// @throws Error invalid_argument if the ranges in `terms` do not cover all leaves in order, or are not complete
  /// subtrees
  TermTree(std::size_t num_leaves, const std::vector<Range>& terms);
  /// Adds the terms element by element, and writes the `count` sums to `out`. If each term is the `tree_sum` of its
  /// leaves, the result is bitwise identical to the `tree_sum` of all leaves.
  /// @param terms one pointer per term, to `count` floats
  /// @param count at most kTreeChunk
  /// @param out must not overlap a term
  void sum(const float* const* terms, std::size_t count, float* out) const { sum_node(root_, terms, count, out); }
  /// Returns the sum of `terms`, which contains one number per term.
  /// @throws Error invalid_argument if the number of terms is wrong
  double sum(std::span<const double> terms) const;

 private:
  struct Node {
    std::size_t first_term = 0;
    std::size_t num_terms = 1;
    int left = -1;  ///< index of the left child in `nodes_`; -1 if `tree_sum` adds all terms of this node at once
    int right = -1;
  };
  int make_node(const Range& leaves, const std::vector<Range>& terms, std::size_t& next_term);
  bool is_plain(int node) const;
  void sum_node(int node, const float* const* terms, std::size_t count, float* out) const;
  double sum_node(int node, std::span<const double> terms) const;

  std::vector<Node> nodes_;
  int root_ = -1;
};

}  // namespace troupe
