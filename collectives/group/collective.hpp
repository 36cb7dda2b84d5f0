#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collectives/plan/range.hpp"
#include "troupe/group.hpp"

namespace troupe {

/// The arguments of one call of a collective by one rank.
struct Collective {
  enum class Kind : std::uint8_t { barrier, all_reduce, reduce_scatter, all_gather, broadcast };

  Kind kind = Kind::barrier;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  std::size_t count = 0;  ///< number of elements of the whole vector; `in` or `out` may contain only a part of this
                          ///< vector
  const void* in = nullptr;
  void* out = nullptr;
  const char* file = "";  ///< the source file of the user's call
  std::uint32_t line = 0;
};

/// Returns the size of one element in bytes.
std::size_t bytes_of(ElementType type);
const char* to_string(ElementType type);
const char* to_string(ReduceOp op);
/// Returns the name of the collective, such as "all_reduce".
const char* to_string(Collective::Kind kind);

/// Divides a vector of `count` elements among `size` ranks, and returns the range of elements that belong to `rank`.
/// The lengths of the ranks' parts differ by at most one element.
Range part_of_rank(std::size_t count, int rank, int size);

}  // namespace troupe
