#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "actors/messages/messages.hpp"
#include "mutation/field_names.hpp"

// A walk over the leaves of a message: numbers, flags, enumerations, texts and lists. A leaf has a path, such as
// "plan.topology.node_of_lane[1]".
namespace troupe_test {

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

/// Calls `act(path, leaf, bound)` for each leaf. A list is a leaf, and so are its first and its last element.
template <class T, class Act>
void each_leaf(T& value, troupe::Bound bound, const std::string& path, const Act& act) {
  if constexpr (troupe::HasFields<T>) {
    const auto& names = field_names(name_of_type<T>());
    troupe::fields(value, [&](auto&&... each) {
      std::size_t next = 0;
      const auto one = [&](auto& field, troupe::Bound its_bound) {
        each_leaf(field, its_bound, (path.empty() ? "" : path + ".") + names.at(next++), act);
      };
      (one(troupe::unbounded(each), troupe::bound_of(each)), ...);
    });
  } else {
    act(path, value, bound);
    if constexpr (kIsList<T>) {
      constexpr auto kInner = kIsList<typename T::value_type> ? troupe::Bound::dimensions : troupe::Bound::text;
      const auto element = [&](std::size_t i) {
        each_leaf(value[i], kInner, path + "[" + std::to_string(i) + "]", act);
      };
      if (!value.empty()) element(0);
      if (value.size() > 1) element(value.size() - 1);
    }
  }
}

/// Returns the leaf of this path and type, or null if there is none.
template <class Leaf, class Message>
const Leaf* leaf_at(Message& message, const std::string& path) {
  const Leaf* found = nullptr;
  each_leaf(message, troupe::Bound::text, "", [&](const std::string& its_path, auto& leaf, troupe::Bound) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(leaf)>, Leaf>)
      if (its_path == path) found = &leaf;
  });
  return found;
}

}  // namespace troupe_test
