#include "actors/rounds/failures.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// The maximum time to wait for the reason why a process ended. A wait may be necessary, because the driver may detect
/// the end of the connection before the end of the process.
constexpr std::chrono::milliseconds kReapTimeout{500};
/// The maximum time for which a round waits for other replies after a failure that names another node as the cause.
constexpr std::chrono::milliseconds kBlameTime{500};

}  // namespace

void Failures::clear() {
  noted_.clear();
  deadline_.reset();
  clear_cut_ = false;
}

void Failures::note(int member, const Failure& failure, const Phase& phase) {
  noted_.emplace_back(member, failure);
  clear_cut_ = failure.node.empty();
  if (!deadline_) deadline_ = Deadline(std::min(kBlameTime, phase.deadline.left()));
}

Where Failures::where(int member, const Phase& phase) const {
  if (Members::is_server(member))
    return {-1, "parameter server " + std::to_string(Members::server_of(member)), phase.name, phase.step, {}};
  return {members_.is_node(member) ? -1 : member, detector_.node(member), phase.name, phase.step, {}};
}

Error Failures::of_answers(const Round& round, const Phase& phase) const {
  const auto blames_nobody = [](const auto& failure) { return failure.second.node.empty(); };
  const auto blames_silent = [&](const auto& failure) {
    return std::any_of(round.missing().begin(), round.missing().end(),
                       [&](int member) { return detector_.node(member) == failure.second.node; });
  };
  auto chosen = std::find_if(noted_.begin(), noted_.end(), blames_nobody);
  if (chosen == noted_.end()) chosen = std::find_if(noted_.begin(), noted_.end(), blames_silent);
  if (chosen == noted_.end()) chosen = noted_.begin();
  return chosen->second.to_error(where(chosen->first, phase));
}

Error Failures::of_loss(int member, const Phase& phase) const {
  const std::string how = detector_.how_it_ended(member, kReapTimeout);
  const std::string who = members_.is_node(member) ? "a node was lost" : "a worker was lost";
  const std::string what = who + (how.empty() ? "" : ": " + how);
  const std::string excuse = detector_.excuse(member);
  if (excuse.empty()) return {ErrorCode::worker_lost, what, where(member, phase)};
  return {ErrorCode::worker_lost, what + ", after " + excuse, {.phase = phase.name, .step = phase.step}};
}

Error Failures::of_silence(const Round& round, const Phase& phase) const {
  return {ErrorCode::timeout, names_of(round.missing()) + " did not answer in time",
          where(round.missing().front(), phase)};
}

/// Returns a text that lists the members in `missing` for an error message, for example "worker 1", "workers 1, 3" or
/// "node alice".
std::string Failures::names_of(const std::vector<int>& missing) const {
  if (Members::is_server(missing.front()))
    return "parameter server " + std::to_string(Members::server_of(missing.front()));
  const bool nodes = members_.is_node(missing.front());
  std::string text = nodes ? "node" : "worker";
  if (missing.size() > 1) text += 's';
  for (const int member : missing)
    text += (member == missing.front() ? " " : ", ") + (nodes ? detector_.node(member) : std::to_string(member));
  return text;
}

}  // namespace troupe
