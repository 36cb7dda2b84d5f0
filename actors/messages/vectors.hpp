#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

// Messages that convert vectors of the state between the model's memory layout and canonical order. The vectors move
// through transfer objects.
namespace troupe {

/// A request to a worker: write the initial weights into a transfer object.
struct Initialize {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t flat = 0;  ///< the number of the transfer object
};
template <class F>
auto fields(Initialize& x, F visit) {
  return visit(x.round, x.flat);
}

/// A request to a worker: convert a part of a vector of the state to canonical order, and write the part into a
/// transfer object.
struct ExportVector {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t vector = 0;
  std::int32_t buffer = 0;
  std::uint64_t canonical = 0;
  std::uint64_t begin = 0;  ///< the position of the part: the number of floats before it in canonical order
  std::uint64_t floats = 0;
};
template <class F>
auto fields(ExportVector& x, F visit) {
  return visit(x.round, x.vector, x.buffer, x.canonical, x.begin, x.floats);
}

/// A request to a worker: read a vector in canonical order from the transfer object `canonical`, convert it to the
/// model's memory layout, and write it into the transfer object `flat`.
struct ImportVector {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t canonical = 0;
  std::uint64_t flat = 0;
};
template <class F>
auto fields(ImportVector& x, F visit) {
  return visit(x.round, x.canonical, x.flat);
}

}  // namespace troupe
