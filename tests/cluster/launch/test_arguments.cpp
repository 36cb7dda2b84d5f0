#include <doctest/doctest.h>

#include "cluster/nodes.hpp"
#include "runtime/processes/kernel_file.hpp"
#include "troupe/call.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

[[maybe_unused]] const bool registered = [] {
  register_worker_function("arguments", [](const WorkerView&) { return read_kernel_file("/proc/self/cmdline"); });
  return true;
}();

}  // namespace

TEST_CASE("the process of a node that serves a run has the arguments that the node was started with") {
  const std::vector<std::string> own{"--width", "", "two words"};
  const Nodes nodes(1, nullptr, NodeProgram::own, own);
  std::string expected;
  for (const std::string& argument : own) expected += argument + '\0';
  DistributedSGD sgd("hold", nodes.options());
  const std::string seen = sgd.foreach_worker("arguments").at(0);
  CHECK(seen.find("--troupe-join=" + nodes.listen()) != std::string::npos);
  CHECK(seen.ends_with('\0' + expected));
}
