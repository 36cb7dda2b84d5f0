#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Throws Error invalid_argument with `message`, for an invalid argument of the caller.
[[noreturn]] inline void throw_invalid(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace troupe
