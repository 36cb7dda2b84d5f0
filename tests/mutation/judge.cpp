#include "mutation/judge.hpp"

#include <algorithm>

#include "mutation/mutations.hpp"
#include "mutation/sender_knows.hpp"
#include "support/patience.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

constexpr std::size_t kMostGrowth = std::size_t{64} << 20;
/// For a run of about ten calls, each with a deadline of half a second, on a busy machine.
constexpr double kMostSeconds = kThreadSanitized ? 200 : 60;

/// Each node has one worker.
std::string node_of(int member, const Truth& truth) { return "node" + std::to_string(member % truth.nodes); }

/// Returns whether files of the same path are equal. A failed run may have fewer files, and may still be writing some.
bool agree(const Files& some, const Files& whole) {
  return std::ranges::all_of(some, [&](const auto& each) {
    const auto found = whole.find(each.first);
    return found == whole.end() || found->second == each.second;
  });
}

}  // namespace

std::string Ending::text() const {
  std::string text = "after " + std::to_string(seconds) + " s, with " + std::to_string(growth >> 20) + " MB: ";
  if (error)
    text += std::string("error ") + to_string(error->code()) + ": " + error->what() + " (worker " +
            std::to_string(error->where().worker) + ", node " + error->where().node + ")";
  else
    text += escaped.empty() ? "a result" : escaped;
  return text + "\n  " + change;
}

std::vector<Lie> lies_about(const Truth& truth) {
  const auto nodes = static_cast<std::size_t>(truth.nodes);
  const RunLimits limits{.shards = 4, .replicas = nodes, .members = nodes + 1};
  std::vector<Lie> lies;
  for (const auto& [spot, message] : truth.messages) {
    Spot next = spot;
    ++next.number;
    if (spot.number > 0 && truth.messages.contains(next)) continue;
    for (const Mutant& mutant : mutants_of(message, truth.of_another))
      if (is_admitted(mutant.message, limits)) lies.push_back({spot, mutant.path, mutant.what});
  }
  return lies;
}

std::string problem_of(const Ending& outcome, const Lie& lie, const Truth& truth) {
  if (!outcome.escaped.empty()) return outcome.escaped;
  if (outcome.hangs) return "something hangs";
  // The thread sanitizer uses four times the memory of the program.
  if (!kThreadSanitized && outcome.growth > kMostGrowth) return "memory grew by more than 64 MB";
  if (outcome.seconds > kMostSeconds) return "the run takes longer than all its deadlines";
  if (!outcome.error) return outcome.bytes == truth.bytes || sender_knows(lie) ? "" : kWrongResult;
  if (!sender_knows(lie) && !agree(outcome.files, truth.files)) return kWrongFile;
  const Where& where = outcome.error->where();
  const std::string liar = node_of(lie.spot.member, truth);
  const auto says = [&](const std::string& text) { return outcome.error->message().find(text) != std::string::npos; };
  const bool named = where.node == liar || says("reported by " + liar);
  const bool nobody = where.node.empty() && where.worker < 0;
  if (!named && !nobody) return "the error names " + where.node + " and not " + liar;
  return "";
}

}  // namespace troupe_test
