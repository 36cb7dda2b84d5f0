#include "actors/rounds/blame.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// The end of a connection may be seen before the end of the process.
constexpr std::chrono::milliseconds kReapTimeout{500};

}  // namespace

Where Blame::where(int member, const Phase& phase) const {
  return {members_.is_node(member) ? -1 : member, witness_.node(member), phase.name, phase.step, {}};
}

Error Blame::of_failures(const Round& round, const Failures& failures, const Phase& phase) const {
  const auto blames_nobody = [](const auto& failure) { return failure.second.node.empty(); };
  const auto is_silent = [&](const auto& failure) {
    return std::any_of(round.missing().begin(), round.missing().end(),
                       [&](int member) { return witness_.node(member) == failure.second.node; });
  };
  auto blame = std::find_if(failures.begin(), failures.end(), blames_nobody);
  if (blame == failures.end()) blame = std::find_if(failures.begin(), failures.end(), is_silent);
  if (blame == failures.end()) blame = failures.begin();
  return blame->second.to_error(where(blame->first, phase));
}

Error Blame::of_loss(int member, const Phase& phase) const {
  const std::string how = witness_.how_it_ended(member, kReapTimeout);
  const std::string who = members_.is_node(member) ? "a node was lost" : "a worker was lost";
  return {ErrorCode::worker_lost, who + (how.empty() ? "" : ": " + how), where(member, phase)};
}

Error Blame::of_silence(const Round& round, const Phase& phase) const {
  return {ErrorCode::timeout, names_of(round.missing()) + " did not answer in time",
          where(round.missing().front(), phase)};
}

/// Such as "worker 1", "workers 1, 3" or "node alice".
std::string Blame::names_of(const std::vector<int>& missing) const {
  const bool nodes = members_.is_node(missing.front());
  std::string text = nodes ? "node" : "worker";
  if (missing.size() > 1) text += 's';
  for (const int member : missing)
    text += (member == missing.front() ? " " : ", ") + (nodes ? witness_.node(member) : std::to_string(member));
  return text;
}

}  // namespace troupe
