#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Calls `make` and returns its result. If `make` throws Error bad_data or invalid_argument, adds `origin`, the name of
/// the data, to the error and throws it again. If `origin` is empty, or the error already contains the name of an
/// object (Error::where), throws the error unchanged.
template <class Make>
auto naming(const std::string& origin, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    const bool about_data = error.code() == ErrorCode::bad_data || error.code() == ErrorCode::invalid_argument;
    if (!about_data || origin.empty() || !error.where().object.empty()) throw;
    throw Error(error.code(), error.message(), {.object = origin});
  }
}

}  // namespace troupe
