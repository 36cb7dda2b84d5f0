#include "mutation/runs_here.hpp"

#include <algorithm>
#include <fstream>

#include "mutation/nodes_here.hpp"
#include "support/patience.hpp"
#include "support/temporary_folder.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

constexpr std::chrono::milliseconds kTimeout{kSanitized ? 1500 : 500};
constexpr int kOfTruth = 20;  ///< factor of the timeout in runs without lies

/// Returns a figure of this process's memory in bytes: "VmHWM" or "VmRSS".
std::size_t memory_of(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::stoul(line.substr(line.find_first_of("0123456789"))) << 10;
  return 0;
}
/// Resets VmHWM, the peak of the memory use.
void forget_largest() { std::ofstream("/proc/self/clear_refs") << "5"; }

const TemporaryFolder& folder_of_all() {
  static const TemporaryFolder folder;
  return folder;
}

void run(const Scenario& scenario, const std::shared_ptr<Tamper>& tamper, int patience, bool another, Ending& ending) {
  const TemporaryFolder folder(folder_of_all().path());
  ClusterOptions cluster;
  cluster.listen = "127.0.0.1:1";  // no process listens there
  cluster.num_nodes = scenario.nodes;
  ending.note([&] {
    return scenario.run({nodes_here(tamper), cluster, patience * kTimeout, folder.path(), nullptr, another});
  });
  ending.files = files_in(folder.path());
}

}  // namespace

Ending run_here(const Scenario& scenario, const Lie& lie, const Truth& truth, int patience) {
  Ending outcome;
  const auto tamper = std::make_shared<Tamper>(lie, truth.of_another);
  if (patience > 1) forget_largest();  // then no other run is active
  const std::size_t before = memory_of("VmRSS");
  const Stopwatch watch;
  run(scenario, tamper, patience, false, outcome);
  outcome.seconds = watch.seconds();
  outcome.growth = std::max(memory_of("VmHWM"), before) - before;
  outcome.change = tamper->change();
  outcome.hangs = tamper->hangs();
  return outcome;
}

Truth truth_here(const Scenario& scenario) {
  const auto run_truly = [&](const std::shared_ptr<Tamper>& tamper, bool another) {
    Ending ending;
    run(scenario, tamper, kOfTruth, another, ending);
    if (ending.error) throw *ending.error;
    return ending;
  };
  Truth truth{.nodes = scenario.nodes};
  const auto another = std::make_shared<Tamper>(std::nullopt, std::vector<caf::message>());
  run_truly(another, true);
  for (const auto& [spot, message] : another->recorded()) truth.of_another.push_back(message);
  const auto tamper = std::make_shared<Tamper>(std::nullopt, std::vector<caf::message>());
  const Ending ending = run_truly(tamper, false);
  truth.bytes = ending.bytes;
  truth.files = ending.files;
  truth.messages = tamper->recorded();
  return truth;
}

}  // namespace troupe_test
