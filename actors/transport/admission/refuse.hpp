#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Ends the connection because the other end violated the protocol.
[[noreturn]] inline void refuse(const std::string& what) { throw Error(ErrorCode::protocol, what); }

}  // namespace troupe
