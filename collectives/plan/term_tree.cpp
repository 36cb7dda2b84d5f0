#include "collectives/plan/term_tree.hpp"

#include <array>

#include "collectives/plan/tree.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

Error untiled() { return {ErrorCode::invalid_argument, "the terms of a sum are not complete subtrees that tile it"}; }

}  // namespace

TermTree::TermTree(std::size_t num_leaves, const std::vector<Range>& terms) {
  if (terms.empty() || terms.back().end != num_leaves) throw untiled();
  std::size_t next_term = 0;
  root_ = make_node({0, num_leaves}, terms, next_term);
}

int TermTree::make_node(const Range& leaves, const std::vector<Range>& terms, std::size_t& next_term) {
  if (next_term >= terms.size() || terms[next_term].begin != leaves.begin || terms[next_term].end > leaves.end)
    throw untiled();
  Node node{.first_term = next_term};
  if (terms[next_term] == leaves) {
    ++next_term;
  } else {
    if (leaves.size() < 2) throw untiled();
    const std::size_t middle = leaves.begin + left_leaves(leaves.size());
    node.left = make_node({leaves.begin, middle}, terms, next_term);
    node.right = make_node({middle, leaves.end}, terms, next_term);
    node.num_terms = next_term - node.first_term;
  }
  nodes_.push_back(node);
  // The tree over this node's terms may have the same shape as the fixed tree over the same number of leaves. Then
  // `tree_sum` adds all terms of the node at once, and reads and writes memory less often.
  if (is_plain(static_cast<int>(nodes_.size()) - 1)) nodes_.back().left = nodes_.back().right = -1;
  return static_cast<int>(nodes_.size()) - 1;
}

double TermTree::sum(std::span<const double> terms) const {
  if (terms.size() != nodes_[static_cast<std::size_t>(root_)].num_terms) throw untiled();
  return sum_node(root_, terms);
}

bool TermTree::is_plain(int index) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (node.left < 0) return true;
  const Node& left = nodes_[static_cast<std::size_t>(node.left)];
  const Node& right = nodes_[static_cast<std::size_t>(node.right)];
  return left.left < 0 && right.left < 0 && left.num_terms == left_leaves(node.num_terms);
}

void TermTree::sum_node(int index, const float* const* terms, std::size_t count, float* out) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (node.left < 0) {
    tree_sum(terms + node.first_term, node.num_terms, count, out);
    return;
  }
  alignas(64) std::array<float, kTreeChunk> right;
  sum_node(node.left, terms, count, out);
  sum_node(node.right, terms, count, right.data());
  add_to(out, right.data(), count);
}

double TermTree::sum_node(int index, std::span<const double> terms) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (node.left < 0) return tree_sum(terms.subspan(node.first_term, node.num_terms));
  return sum_node(node.left, terms) + sum_node(node.right, terms);
}

}  // namespace troupe
