#include <doctest/doctest.h>
#include <signal.h>

#include <optional>
#include <thread>

#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"
#include "runtime/clock.hpp"
#include "support/stop.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using troupe::testing::TemporaryFolder;

namespace {

/// The result of a call.
struct HeldRun {
  std::optional<Error> error;
  double seconds = 0;
  milliseconds deadline{};
  std::vector<float> weights = {};  ///< after the call
};

template <class Call>
HeldRun outcome_of(Call call) {
  HeldRun outcome;
  const Stopwatch watch;
  try {
    call();
  } catch (const Error& error) {
    outcome.error = error;
  }
  outcome.seconds = watch.seconds();
  return outcome;
}

/// Runs until a node's process reaches a phase, and acts on the process there.
HeldRun run_until_held(Options options, const std::string& phase, int victim, const std::function<void(pid_t)>& act) {
  const TemporaryFolder folder;
  options.config = Hold{.phase = phase, .worker = victim, .step = 1, .folder = folder.path().string()}.text();
  bool held = false;
  std::thread actor([&] { held = when_held(folder.path().string(), act); });
  std::optional<DistributedSGD> sgd;
  HeldRun outcome = outcome_of([&] { sgd.emplace("hold", options); });
  if (sgd) {
    sgd->step();
    outcome = outcome_of([&] {
      if (phase == "evaluate") {
        sgd->evaluate();
      } else if (phase == "weights") {
        sgd->weights();
      } else {
        sgd->step();
      }
    });
    if (outcome.error && phase != "evaluate" && phase != "weights") CHECK(sgd->report().step == 1);
    outcome.weights = sgd->weights();
  }
  outcome.deadline = sgd ? options.timeouts.step : options.timeouts.start;
  actor.join();
  CHECK(held);
  return outcome;
}

void check_outcome(const HeldRun& outcome, const std::string& phase, int victim, ErrorCode code) {
  // A busy machine may exceed a deadline.
  CHECK(outcome.seconds < std::chrono::duration<double>(3 * outcome.deadline).count());
  static const auto committed = run_here(Hold{}.text(), 3, 1);
  if (phase != "start") CHECK(bits_of(outcome.weights) == bits_of(committed));
  if (phase == "weights") {  // other nodes have the weights, too
    CHECK_FALSE(outcome.error);
    return;
  }
  REQUIRE(outcome.error);
  INFO(std::string(outcome.error->what()));
  CHECK(outcome.error->code() == code);
  CHECK(outcome.error->where().node == "node" + std::to_string(victim));
  CHECK(outcome.error->where().phase == phase);
}

/// Checks that the next run works with `count` nodes.
void check_usable(const Nodes& nodes, int count) {
  Options options = nodes.options(count);
  options.num_shards = 3;
  DistributedSGD sgd("hold", options);
  sgd.step();
  sgd.step();
  static const auto expected = run_here(Hold{}.text(), 3, 2);
  CHECK(bits_of(sgd.weights()) == bits_of(expected));
}

struct Phase {
  const char* phase;
  int victim;  ///< the first node provides the weights
  Strategy strategy = Strategy::automatic;
};
#if defined(TROUPE_SANITIZED)  // the other phases are similar, and each case waits for its deadline
constexpr Phase kPhases[] = {{"compute", 1}, {"apply", 1}};
constexpr Phase kExchanges[] = {{"apply", 1, Strategy::ring}};
#else
constexpr Phase kPhases[] = {{"start", 1}, {"compute", 1}, {"apply", 1}, {"evaluate", 1}, {"weights", 0}};
constexpr Phase kExchanges[] = {{"apply", 1, Strategy::ring}, {"apply", 2, Strategy::parameter_server}};
#endif

/// Returns the phases, and the exchange between nodes with each strategy.
std::vector<Phase> all_phases() {
  std::vector<Phase> all(std::begin(kPhases), std::end(kPhases));
  all.insert(all.end(), std::begin(kExchanges), std::end(kExchanges));
  return all;
}

/// Returns options for all nodes with deadlines that only the affected node can miss.
Options impatient(const Nodes& nodes) {
  check_usable(nodes, nodes.size());  // this waits for nodes that are starting
  const milliseconds run = generous_deadline([&] { check_usable(nodes, nodes.size()); });
  Options options = nodes.options();
  options.timeouts.step = std::max(milliseconds(2s), run / 10);  // a step is a small part of this
  options.timeouts.evaluate = options.timeouts.save = options.timeouts.step;
  // A node that has not found a driver for a while retries every three seconds.
  options.timeouts.start = 4s + options.timeouts.step;
  options.fault_tolerance.cut_after = 0ms;  // this test is about the deadline
  return options;
}

Options with(Options options, Strategy strategy) {
  options.gradients.strategy = strategy;
  return options;
}

}  // namespace

TEST_CASE("a killed node is named with the phase and joins the next run, and weights can still be read") {
  Nodes nodes(3);
  const Options options = impatient(nodes);
  for (const auto& [phase, victim, strategy] : all_phases()) {
    CAPTURE(std::string(phase));
    CAPTURE(to_string(strategy));
    const HeldRun outcome =
        run_until_held(with(options, strategy), phase, victim, [](pid_t pid) { ::kill(pid, SIGKILL); });
    check_outcome(outcome, phase, victim, ErrorCode::worker_lost);
    check_usable(nodes, 3);
  }
}

TEST_CASE("a node that is killed permanently leaves the other nodes usable") {
  Nodes nodes(3);
  const HeldRun outcome = run_until_held(impatient(nodes), "compute", 1, [&](pid_t) { nodes[1].signal(SIGKILL); });
  check_outcome(outcome, "compute", 1, ErrorCode::worker_lost);
  check_usable(nodes, 2);
}

TEST_CASE("a stopped node is detected at the deadline and named with the phase") {
  Nodes nodes(3);
  const Options options = impatient(nodes);
  for (const auto& [phase, victim, strategy] : kPhases) {
    CAPTURE(std::string(phase));
    CAPTURE(to_string(strategy));
    pid_t stopped = 0;
    const HeldRun outcome = run_until_held(with(options, strategy), phase, victim, [&](pid_t pid) {
      stopped = pid;
      stop(pid);
    });
    check_outcome(outcome, phase, victim, ErrorCode::timeout);
    check_usable(nodes, 2);
    ::kill(stopped, SIGCONT);
  }
  check_usable(nodes, 3);
}

TEST_CASE("a node without network is detected at the deadline and named with the phase") {
  if (const std::string why = Namespaces::why_not(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  const Namespaces namespaces(3);
  Nodes nodes(3, &namespaces);
  const InNamespace inside(namespaces.driver());
  const Options options = impatient(nodes);
  for (const auto& [phase, victim, strategy] : all_phases()) {
    CAPTURE(std::string(phase));
    CAPTURE(to_string(strategy));
    const int cut = victim;
    const HeldRun outcome =
        run_until_held(with(options, strategy), phase, victim, [&](pid_t) { namespaces.cut_off(cut); });
    // With a long deadline, the kernel of another node has detected the loss before.
    const bool seen = outcome.error && outcome.error->code() == ErrorCode::worker_lost && options.timeouts.step > 5s;
    check_outcome(outcome, phase, victim, seen ? ErrorCode::worker_lost : ErrorCode::timeout);
    check_usable(nodes, 2);
    namespaces.join_again(victim);
  }
  check_usable(nodes, 3);
}
