#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Runs `make`. Adds the origin of the data, such as a file, to its errors about data; adds nothing if `origin` is
/// empty.
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
