#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Throws Error protocol with the message `what`. Called when a frame violates the protocol; the error ends the
/// connection.
[[noreturn]] inline void refuse(const std::string& what) { throw Error(ErrorCode::protocol, what); }

}  // namespace troupe
