#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// The connection ends, since its other end said what nobody of this protocol says.
[[noreturn]] inline void refuse(const std::string& what) { throw Error(ErrorCode::protocol, what); }

}  // namespace troupe
