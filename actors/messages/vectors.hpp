#pragma once

#include <cstdint>

#include "actors/messages/failure.hpp"

// Messages that convert vectors of the state between the model's layout and canonical order, through transfer objects.
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

/// A request to a worker: write a part of a vector into a transfer object, in canonical order.
struct ExportVector {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t vector = 0;
  std::int32_t buffer = 0;
  std::uint64_t canonical = 0;
  std::uint64_t begin = 0;  ///< the number of canonical floats before the part
  std::uint64_t floats = 0;
};
template <class F>
auto fields(ExportVector& x, F visit) {
  return visit(x.round, x.vector, x.buffer, x.canonical, x.begin, x.floats);
}

/// A request to a worker: convert a vector from canonical order in one transfer object to the model's layout in
/// another.
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
