#include <doctest/doctest.h>

#include <cstdlib>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"

using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

/// Returns oneDNN's log of each primitive in a step with kernels for `instructions`. If `instructions` is empty, oneDNN
/// uses all instructions of this machine.
std::string primitives_of(const std::string& instructions, const std::string& model, const std::string& data) {
  const auto tell = [&] {
    ::setenv("ONEDNN_VERBOSE", "1", 1);
    if (!instructions.empty()) ::setenv("ONEDNN_MAX_CPU_ISA", instructions.c_str(), 1);
  };
  const auto run = run_program(
      {"train", "--model", model, "--data", data, "--workers", "1", "--batch-size", "4", "--steps", "1", "--quiet"},
      {.limit = tell});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  return run.out;
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

}  // namespace

TEST_CASE("no layer of the built-in networks uses oneDNN's reference loops") {
  if (!has_avx2()) return;  // without AVX2 oneDNN has only reference loops
  const TemporaryFolder folder;
  write_fashion(folder);
  const std::string grey = "fashion-mnist:" + folder.path().string();
  const std::string colours = "mock-images:32";  // the last layers see a single pixel
  for (const std::string instructions : {"", "AVX2"})
    for (const auto& network : {std::pair("cnn", grey), {"cnn-bn", grey}, {"resnet18", colours}}) {
      INFO(network.first << " with " << (instructions.empty() ? "all there is" : instructions));
      const std::string primitives = primitives_of(instructions, network.first, network.second);
      CHECK(primitives.find("convolution,jit") != std::string::npos);
      for (const std::string& line : lines_of(primitives)) {
        INFO(line);
        CHECK(line.find(",ref") == std::string::npos);
      }
    }
}
