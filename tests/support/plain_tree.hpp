#pragma once

#include <cstddef>
#include <type_traits>

namespace troupe_test {

/// The sum of `count` leaves from `begin` on as the design words it: a tree whose left half holds the largest power of
/// two of leaves that is less than all.
/// @param leaf gives the value of one
template <class Leaf>
auto plain_tree(const Leaf& leaf, std::size_t begin, std::size_t count) {
  using Value = std::decay_t<decltype(leaf(begin))>;
  if (count == 1) return Value(leaf(begin));
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return Value(plain_tree(leaf, begin, left) + plain_tree(leaf, begin + left, count - left));
}

}  // namespace troupe_test
