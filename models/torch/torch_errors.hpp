#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Calls `work`. The message of an error of libtorch contains a stack trace, which is removed.
template <class Work>
auto without_traces(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::model_failed, std::string("libtorch: ") + error.what_without_backtrace());
  }
}

}  // namespace troupe
