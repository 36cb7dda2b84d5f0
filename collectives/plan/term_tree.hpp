#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/plan/range.hpp"

namespace troupe {

/// The upper part of the tree over `num_leaves`, above the sums of complete subtrees.
class TermTree {
 public:
  /// @param terms complete subtrees that tile all leaves, in order
  /// @throws Error invalid_argument if they do not tile the leaves
  TermTree(std::size_t num_leaves, const std::vector<Range>& terms);
  /// Adds `count` floats of each term. The result is the same as `tree_sum` of all leaves.
  void sum(const float* const* terms, std::size_t count, float* out) const { sum_node(root_, terms, count, out); }
  /// Adds one number per term.
  /// @throws Error invalid_argument if the number of terms is wrong
  double sum(std::span<const double> terms) const;

 private:
  struct Node {
    std::size_t first_term = 0;
    std::size_t num_terms = 1;
    int left = -1;  ///< -1 if the terms are added as the leaves of their own tree
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
