#include <doctest/doctest.h>

#include "cli/small_data.hpp"
#include "cluster/nodes.hpp"

#if defined(TROUPE_PROGRAM)

using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

/// Returns a command that trains the reference CNN for a few steps.
std::vector<std::string> train_cnn(const std::string& data, const std::vector<std::string>& more) {
  return joined({TROUPE_PROGRAM, "train", "--model", "cnn", "--data", data, "--shards", "3", "--batch-size", "16",
                 "--steps", "3", "--quiet"},
                more);
}

/// Returns the output of a command: test loss, test accuracy and the hash of the weights.
std::string result_of(const std::vector<std::string>& command) {
  const TemporaryFolder folder;
  Child train(command, folder / "train");
  const int status = train.wait();
  INFO(train.err());
  REQUIRE(status == 0);
  CHECK(train.out().find("weights sha256 ") != std::string::npos);
  return train.out();
}

}  // namespace

TEST_CASE("the CNN trained on three namespaces is bitwise identical to one process") {
  if (const std::string why = Namespaces::why_not(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
#if defined(TROUPE_SANITIZED)
  const TemporaryFolder small;
  write_fashion(small);
  const std::string data = "fashion-mnist:" + small.path().string();
#else
  const std::string data = "fashion-mnist";
#endif
  const std::string expected = result_of(train_cnn(data, {"--workers", "1"}));
  const Namespaces namespaces(3);
  Nodes nodes(3, &namespaces, NodeProgram::command);
  const InNamespace inside(namespaces.driver());
  for (const char* strategy : {"hierarchical", "ring", "parameter-server"}) {
    CAPTURE(strategy);
    CHECK(result_of(train_cnn(data, {"--workers", "3", "--placement", "cluster", "--nodes", "3", "--listen",
                                     nodes.listen(), "--certs", nodes.authority().driver(), "--strategy", strategy})) ==
          expected);
  }
}

#endif
