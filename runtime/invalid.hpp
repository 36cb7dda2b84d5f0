#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Rejects an argument of the caller. @throws Error invalid_argument
[[noreturn]] inline void throw_invalid(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace troupe
