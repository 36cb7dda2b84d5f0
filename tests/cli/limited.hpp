#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "models/files.hpp"

namespace troupe_test {

/// Runs the program and checks that it leaves no temporary file. Any user may write the temporary folder, because
/// `limit` may change the user.
inline Finished run_limited(const std::vector<std::string>& arguments, const std::function<void()>& limit) {
  const troupe::testing::TemporaryFolder temporary;
  std::filesystem::permissions(temporary.path(), std::filesystem::perms::all);
  Finished run = Program(arguments, {.temporary = temporary.path().string(), .limit = limit}).finish();
  CHECK(std::filesystem::is_empty(temporary.path()));
  return run;
}

}  // namespace troupe_test
