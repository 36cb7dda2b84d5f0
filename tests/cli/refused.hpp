#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

namespace troupe_test {

/// Checks that the program exited with the status for its error code and printed one line that contains every text of
/// `named`.
inline void check_refusal(const Finished& run, const std::vector<std::string>& named) {
  INFO(run.out << run.err);
  CHECK(run.status == (run.err.find(": invalid_argument: ") != std::string::npos ? 2 : 1));
  CHECK(run.err.starts_with(std::filesystem::path(TROUPE_PROGRAM).filename().string() + ": "));
  CHECK(lines_of(run.err).size() == 1);
  CHECK(run.err.size() < 600);
  CHECK(run.out.find("sha256") == std::string::npos);
  for (const std::string& text : named) CHECK_MESSAGE(run.err.find(text) != std::string::npos, text);
}

inline void check_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& named) {
  check_refusal(run_program(arguments), named);
}

}  // namespace troupe_test
