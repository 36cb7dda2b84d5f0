#pragma once

#include <cstddef>
#include <span>

#include "troupe/error.hpp"

namespace troupe {

/// Returns the elements [begin, begin + count) of `all`. Callers use this function for a range that a message has
/// requested, because such a range may be invalid.
/// @throws Error protocol if `all` is shorter
template <class T>
std::span<T> checked_part(std::span<T> all, std::size_t begin, std::size_t count) {
  if (begin > all.size() || count > all.size() - begin)
    throw Error(ErrorCode::protocol, "a requested range is outside its vector");
  return all.subspan(begin, count);
}

/// Returns the first `count` elements of `all`. @throws Error protocol if `all` is shorter
template <class T>
std::span<T> checked_first(std::span<T> all, std::size_t count) {
  return checked_part(all, 0, count);
}

}  // namespace troupe
