#include <doctest/doctest.h>
#include <signal.h>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;

TEST_CASE("a terminal shows a progress bar with speed and loss in one line") {
  Program program(train_linear({"--steps", "100000000", "--batch-size", "0"}), {.terminal = true});
  REQUIRE(program.prints("step 3, "));
  REQUIRE(program.prints("\x1b[K\r["));  // the end of a bar and the start of the next
  ::kill(program.pid(), SIGINT);
  const std::string out = program.finish().out;
  const std::regex bar("\r\\[#*\\.*\\] [0-9]+/100000000 steps, [0-9]+ samples/s, loss [0-9.]+, ETA [0-9:]+\x1b\\[K");
  CHECK(std::distance(std::sregex_iterator(out.begin(), out.end(), bar), {}) >= 1);
}

namespace {

/// Enough steps for a second and several bars.
const char* const kManySteps = kSanitized ? "500" : "10000";

}  // namespace

TEST_CASE("no bar is drawn without a terminal or with --quiet") {
  const Finished plain = run_program(train_linear({"--steps", kManySteps, "--batch-size", "0"}));
  CHECK(plain.out.find_first_of("\r\x1b") == std::string::npos);
  Program quiet(train_linear({"--steps", kManySteps, "--batch-size", "0", "--quiet"}), {.terminal = true});
  CHECK_MESSAGE(matches(quiet.finish().out, "weights sha256 [0-9a-f]{64}\r\n"), quiet.out());
}
