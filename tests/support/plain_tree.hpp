#pragma once

#include <cstddef>
#include <type_traits>

namespace troupe_test {

/// Returns the sum of `count` leaves, starting with leaf `begin`, in the order that the design specifies. The left half
/// of the tree has the largest power of two of leaves that is less than `count`.
/// @param leaf returns the value of one leaf
template <class Leaf>
auto plain_tree(const Leaf& leaf, std::size_t begin, std::size_t count) {
  using Value = std::decay_t<decltype(leaf(begin))>;
  if (count == 1) return Value(leaf(begin));
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return Value(plain_tree(leaf, begin, left) + plain_tree(leaf, begin + left, count - left));
}

}  // namespace troupe_test
