#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/stop.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

namespace {

/// Returns the error of the second step of a run.
Error error_of_step_two(const Options& options, const std::function<void(const DistributedSGD&)>& before) {
  DistributedSGD sgd("hold", options);
  sgd.step();
  before(sgd);
  try {
    sgd.step();
  } catch (const Error& error) {
    CHECK(sgd.report().step == 1);
    return error;
  }
  FAIL("nothing was thrown");
  return {ErrorCode::system, ""};
}

void check_usable(const Nodes& nodes) {
  DistributedSGD sgd("hold", nodes.options());
  CHECK(sgd.step().step == 1);
}

}  // namespace

TEST_CASE("a stopped node is suspected, disconnected and named, and serves again after it continues") {
  Nodes nodes(2);
  Options options = nodes.options();
  options.fault_tolerance.suspect_after = 500ms;
  options.fault_tolerance.cut_after = 1s;
  const CapturedErrors errors;
  pid_t stopped = 0;
  const Error error = error_of_step_two(options, [&](const DistributedSGD& sgd) {
    stopped = sgd.worker_pids()[1];
    stop(stopped);
  });
  INFO(std::string(error.what()));
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().node == "node1");
  CHECK(error.where().phase == "compute");
  CHECK(says(error, "because it showed no sign of life for 1."));
  CHECK(errors.text().find("troupe: node node1 shows no sign of life for 0.") != std::string::npos);
  ::kill(stopped, SIGCONT);
  check_usable(nodes);
}

TEST_CASE("a fault that cuts off a node disconnects it, and the node joins the next run") {
  Nodes nodes(2);
  const TemporaryFolder folder;
  Options options = nodes.options();
  // The request may pass before the cut. The pause ensures that the node's answer does not.
  options.config = Hold{.phase = "apply", .worker = 1, .step = 1, .folder = folder.path().string()}.text();
  options.fault_tolerance.suspect_after = 0ms;
  options.fault_tolerance.cut_after = 1s;
  options.fault_tolerance.faults = {testing::CutNode{.node = 1, .step = 2, .phase = "apply"}};
  const Error error = error_of_step_two(options, [](const DistributedSGD&) {});
  release(folder.path().string());
  INFO(std::string(error.what()));
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().node == "node1");
  CHECK(error.where().phase == "apply");
  CHECK(says(error, "because it showed no sign of life for 1."));
  check_usable(nodes);
}

TEST_CASE("a node with a silent driver ends the run on its own and joins the next run") {
  Nodes nodes(2, nullptr, NodeProgram::own, {"--troupe-cut-after=1000"});
  Options options = nodes.options();
  options.fault_tolerance.suspect_after = 0ms;
  options.fault_tolerance.cut_after = 0ms;
  options.fault_tolerance.faults = {testing::CutNode{.node = 1, .step = 2}};
  const Error error = error_of_step_two(options, [](const DistributedSGD&) {});
  INFO(std::string(error.what()));
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().node == "node1");
  CHECK(says(error, "its connection broke"));
  CHECK(nodes[1].says("shows no sign of life for 1."));
  check_usable(nodes);
}

TEST_CASE("no node is blamed for a loss while the driver's process was stopped, and the nodes serve again") {
  Nodes nodes(2, nullptr, NodeProgram::own, {"--troupe-cut-after=1000"});
  const Error error = error_of_step_two(nodes.options(), [](const DistributedSGD&) {
    const std::string pid = std::to_string(::getpid());
    const std::string stop = "kill -STOP " + pid + "; sleep 4; kill -CONT " + pid;
    REQUIRE(std::system(stop.c_str()) == 0);  // in a separate process
  });
  INFO(std::string(error.what()));
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().node.empty());
  CHECK(error.where().worker == -1);
  CHECK(says(error, "this process itself had been stopped for "));
  check_usable(nodes);
}

TEST_CASE("nodes refuse faults of worker processes and faults of missing nodes") {
  const Nodes nodes(0);
  for (const testing::Fault& fault : {testing::Fault(testing::KillWorker{.worker = 0, .step = 2}),
                                      testing::Fault(testing::CutNode{.node = 1, .step = 2})}) {
    Options options = nodes.options(1);
    options.fault_tolerance.faults = {fault};
    CHECK_THROWS_AS(DistributedSGD("hold", options), Error);
  }
}
