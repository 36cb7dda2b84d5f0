#include "mutation/judge.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "mutation/known_holes.hpp"
#include "mutation/mutations.hpp"
#include "mutation/nodes_here.hpp"
#include "mutation/sender_knows.hpp"
#include "support/patience.hpp"
#include "support/temporary_folder.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

constexpr std::chrono::milliseconds kTimeout{kSanitized ? 1500 : 500};
constexpr std::size_t kMostGrowth = std::size_t{64} << 20;

/// Of this process, in bytes: "VmHWM" or "VmRSS".
std::size_t memory_of(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::stoul(line.substr(line.find_first_of("0123456789"))) << 10;
  return 0;
}
/// From here on VmHWM is the largest since.
void forget_largest() { std::ofstream("/proc/self/clear_refs") << "5"; }

const TemporaryFolder& folder_of_all() {
  static const TemporaryFolder folder;
  return folder;
}

std::string node_of(int member) { return "node" + std::to_string(member % 2); }

}  // namespace

std::string Outcome::text() const {
  std::string text = "after " + std::to_string(seconds) + " s, with " + std::to_string(growth >> 20) + " MB: ";
  if (error)
    text += std::string("error ") + to_string(error->code()) + ": " + error->what() + " (worker " +
            std::to_string(error->where().worker) + ", node " + error->where().node + ")";
  else
    text += escaped.empty() ? "a result" : "thrown: " + escaped;
  return text + "\n  " + change;
}

Outcome run_with(const Scenario& scenario, const std::optional<Lie>& lie, const std::vector<caf::message>& others,
                 int patience, bool another) {
  Outcome outcome;
  const TemporaryFolder folder(folder_of_all().path());
  const auto tamper = std::make_shared<Tamper>(lie, others);
  if (patience > 1) forget_largest();
  const std::size_t before = memory_of("VmRSS");
  const Stopwatch watch;
  try {
    outcome.bytes = scenario.run({nodes_here(tamper), patience * kTimeout, folder.path(), another});
  } catch (const Error& error) {
    outcome.error = error;
  } catch (const std::exception& error) {
    outcome.escaped = error.what();
  }
  outcome.seconds = watch.seconds();
  outcome.growth = std::max(memory_of("VmHWM"), before) - before;
  outcome.change = tamper->change();
  return outcome;
}

Truth truth_of(const Scenario& scenario) {
  Truth truth;
  const auto run = [&](bool another) {
    const TemporaryFolder folder(folder_of_all().path());
    const auto tamper = std::make_shared<Tamper>(std::nullopt, std::vector<caf::message>());
    const std::string bytes = scenario.run({nodes_here(tamper), 20 * kTimeout, folder.path(), another});
    return std::pair(bytes, tamper->recorded());
  };
  for (const auto& [spot, message] : run(true).second) truth.of_another.push_back(message);
  std::tie(truth.bytes, truth.messages) = run(false);
  return truth;
}

std::vector<Lie> lies_about(const Truth& truth) {
  std::vector<Lie> lies;
  for (const auto& [spot, message] : truth.messages) {
    Spot next = spot;
    ++next.number;
    if (spot.number > 0 && truth.messages.contains(next)) continue;
    for (const Mutant& mutant : mutants_of(message, truth.of_another))
      if (is_admitted(mutant.message, {.shards = 4, .replicas = 2, .members = 3}))
        lies.push_back({spot, mutant.path, mutant.what});
  }
  return lies;
}

std::string problem_of(const Outcome& outcome, const Lie& lie, const Truth& truth) {
  if (!outcome.escaped.empty()) return "it throws what is no troupe::Error";
  if (outcome.growth > kMostGrowth) return "memory grew by more than 64 MB";
  if (!outcome.error) return outcome.bytes == truth.bytes || sender_knows(lie) ? "" : "a wrong result";
  const Where& where = outcome.error->where();
  const std::string liar = node_of(lie.spot.member);
  const auto says = [&](const std::string& text) { return outcome.error->message().find(text) != std::string::npos; };
  const bool named =
      where.node == liar || says("told by " + liar) || says("worker " + std::to_string(lie.spot.member % 2) + "'s");
  const bool nobody = where.node.empty() && where.worker < 0;
  if (!named && !nobody) return "it names " + where.node + " and not " + liar;
  return "";
}

}  // namespace troupe_test
