#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "actors/schedules/chance.hpp"
#include "mutation/judge.hpp"
#include "mutation/lying_proxy.hpp"
#include "mutation/scenarios.hpp"
#include "support/free_address.hpp"
#include "support/temporary_folder.hpp"
#include "support/trial_node.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kOverTls{kThreadSanitized ? 60'000 : kSanitized ? 20'000 : 4'000};
constexpr int kLies = kThreadSanitized ? 10
                      : kSanitized     ? 40
                                       : 200;  ///< under a sanitizer a process takes seconds to begin and end

/// Returns the problem of a node's process, or "" if it ended well.
std::string end_of(Child& node) {
  const int status = node.wait();
  const std::string said = node.err();
  const bool crashed = status < 0 || said.find("Sanitizer") != std::string::npos ||
                       said.find("terminate called") != std::string::npos ||
                       said.find("runtime error") != std::string::npos;
  return crashed ? "a node's process crashed with " + std::to_string(status) + ": " + said : "";
}

/// The processes of a scenario's runs, one pair after the other.
class NodeProcesses {
 public:
  NodeProcesses(Address first, Address second, std::string folder)
      : join_{std::move(first), std::move(second)}, folder_(std::move(folder)) {}

  void start() {
    for (int number = 0; number < 2; ++number)
      nodes_.push_back(
          start_trial_node(number, join_[static_cast<std::size_t>(number)].text(), folder_, {"--troupe-once"}));
  }
  /// Waits until all have ended. Returns a problem of a process, or "" if there is none. @param stops whether to end
  /// processes that may still wait for a driver
  std::string end(bool stops) {
    std::string problem;
    for (const auto& node : nodes_) {
      if (stops) node->signal(SIGTERM);
      const std::string end = end_of(*node);
      if (problem.empty() && end.find("with -15") == std::string::npos) problem = end;
    }
    return problem;
  }

 private:
  const std::array<Address, 2> join_;
  const std::string folder_;
  std::vector<std::unique_ptr<Child>> nodes_;
};

/// Runs a scenario on two processes. The messages of one of them pass through `tamper`.
Ending run_over_tls(const Scenario& scenario, const std::shared_ptr<Tamper>& tamper, bool another) {
  static const TemporaryFolder of_all;
  const TemporaryFolder folder(of_all.path());
  const Address driver = Address::parse(free_address());
  LyingProxy proxy(0, driver, tamper);
  const TemporaryFolder logs;
  NodeProcesses nodes(proxy.address(), driver, logs.path());
  ClusterOptions cluster;
  cluster.listen = driver.text();
  cluster.num_nodes = scenario.nodes;
  cluster.certs = trial_authority().folder() / "driver";
  Ending outcome;
  const Stopwatch watch;
  outcome.note([&] {
    return scenario.run({make_actor_runtime, cluster, kOverTls, folder.path(), [&] { nodes.start(); }, another});
  });
  outcome.seconds = watch.seconds();
  outcome.files = files_in(folder.path());
  const std::string problem = nodes.end(outcome.error && outcome.error->where().phase == "start");
  if (outcome.escaped.empty()) outcome.escaped = problem;
  outcome.change = tamper->change();
  return outcome;
}

Truth truth_over_tls(const Scenario& scenario) {
  Truth truth{.nodes = scenario.nodes};
  const auto another = std::make_shared<Tamper>(std::nullopt, std::vector<caf::message>());
  run_over_tls(scenario, another, true);
  for (const auto& [spot, message] : another->recorded()) truth.of_another.push_back(message);
  auto tamper = std::make_shared<Tamper>(std::nullopt, std::vector<caf::message>());
  Ending outcome = run_over_tls(scenario, tamper, false);
  // On a busy machine the proxy may reach the driver late. The node has then ended, because the proxy closed its
  // connection.
  for (int again = 0; again < 3 && outcome.error && outcome.error->where().phase == "start"; ++again) {
    tamper = std::make_shared<Tamper>(std::nullopt, std::vector<caf::message>());
    outcome = run_over_tls(scenario, tamper, false);
  }
  INFO(outcome.text());
  REQUIRE(!outcome.error);
  REQUIRE(outcome.escaped == "");
  truth.bytes = outcome.bytes;
  truth.files = outcome.files;
  truth.messages = tamper->recorded();
  return truth;
}

}  // namespace

TEST_CASE("random lies do no more harm over TLS between processes") {
  const char* const told = std::getenv("TROUPE_MUTATIONS_OVER_TLS");
  const int wanted = told == nullptr ? kLies : std::atoi(told);
  Chance chance(20261126);
  const auto of_two_nodes = [](const Scenario& scenario) { return scenario.nodes == 2; };
  const auto tried = static_cast<int>(std::ranges::count_if(scenarios(), of_two_nodes));
  const int each = (wanted + tried - 1) / tried;
  for (const Scenario& scenario : scenarios()) {
    if (!of_two_nodes(scenario)) continue;
    const Stopwatch watch;
    const Truth truth = truth_over_tls(scenario);
    const std::vector<Lie> lies = lies_about(truth);
    for (int i = 0; i < each; ++i) {
      const Lie& lie = lies[static_cast<std::size_t>(chance.below(static_cast<int>(lies.size())))];
      const Ending outcome = run_over_tls(scenario, std::make_shared<Tamper>(lie, truth.of_another), false);
      const std::string problem = problem_of(outcome, lie, truth);
      if (!problem.empty())
        FAIL_CHECK(std::string(scenario.name), ", ", lie.text(), ": ", problem, "\n  ", outcome.text());
    }
    std::cout << scenario.name << " over TLS: " << each << " of " << lies.size() << " lies, " << watch.seconds() << " s"
              << std::endl;
  }
}
