#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// The upper part of the fixed tree over a number of leaves. Its inputs, the terms, are sums of complete subtrees. It
/// adds the terms in the order of the whole tree.
class TermTree {
 public:
  /// @param num_leaves the number of leaves of the fixed tree
  /// @param terms the leaves that each term covers: complete subtrees that together cover all leaves, in order
  /// @throws Error invalid_argument if they do not tile the leaves
  TermTree(std::size_t num_leaves, const std::vector<Range>& terms);
  /// Adds the terms element by element and writes the sums to `out`. If each term is the sum of its leaves, the result
  /// is bitwise identical to `tree_sum` of all leaves.
  /// @param terms one pointer per term, to `count` floats
  /// @param count at most kTreeChunk
  /// @param out must not overlap a term
  void sum(const float* const* terms, std::size_t count, float* out) const { sum_node(root_, terms, count, out); }
  /// Returns the sum of `terms`, one number per term.
  /// @throws Error invalid_argument if the number of terms is wrong
  double sum(std::span<const double> terms) const;

 private:
  struct Node {
    std::size_t first_term = 0;
    std::size_t num_terms = 1;
    int left = -1;  ///< -1 if `tree_sum` adds all terms of this node at once
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
