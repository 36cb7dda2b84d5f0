#pragma once

#include <cstddef>
#include <span>

#include "troupe/error.hpp"

namespace troupe {

/// The elements [begin, begin + count) of memory whose length others have said. @throws Error protocol where it is
/// shorter
template <class T>
std::span<T> checked_part(std::span<T> all, std::size_t begin, std::size_t count) {
  if (begin > all.size() || count > all.size() - begin)
    throw Error(ErrorCode::protocol, "a vector of another length than the one who asks for it says");
  return all.subspan(begin, count);
}

template <class T>
std::span<T> checked_first(std::span<T> all, std::size_t count) {
  return checked_part(all, 0, count);
}

}  // namespace troupe
