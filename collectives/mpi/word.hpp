#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/group/call_record.hpp"

namespace troupe {

/// What a rank tells all others: what it calls, that it has waited for long, or that nobody is to wait for it, or for
/// another one.
struct Word {
  enum class Kind : std::uint8_t { call, waits, over };

  std::uint64_t group = 0;  ///< of the groups that this process has been in, from 1 on
  std::uint64_t done = 0;   ///< calls that it has finished
  CallRecord call = {};
  std::int32_t pid = 0;
  std::int32_t rank = -1;  ///< who does not come
  std::uint8_t code = 0;   ///< why
  Kind kind = Kind::call;
  char text[230] = {};  ///< of the first call the machine's name, else why
};

}  // namespace troupe
