#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collectives/plan/range.hpp"
#include "troupe/group.hpp"

namespace troupe {

/// One call of one rank.
struct Collective {
  enum class Kind : std::uint8_t { barrier, all_reduce, reduce_scatter, all_gather, broadcast };

  Kind kind = Kind::barrier;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  std::size_t count = 0;  ///< elements: of the whole vector, also where a rank has a part of it
  const void* in = nullptr;
  void* out = nullptr;
  const char* file = "";  ///< of the user's call
  std::uint32_t line = 0;
};

std::size_t bytes_of(ElementType type);
const char* to_string(ElementType type);
const char* to_string(ReduceOp op);
/// Such as "all_reduce".
const char* to_string(Collective::Kind kind);

/// The elements that are a rank's of so many.
Range part_of_rank(std::size_t count, int rank, int size);

}  // namespace troupe
