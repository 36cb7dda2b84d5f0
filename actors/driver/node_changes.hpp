#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/placements/host.hpp"
#include "actors/placements/run_history.hpp"
#include "actors/rounds/members.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// Returns the names in the certificates of the nodes of a run, sorted.
std::vector<std::string> names_of_nodes(const Host& host, const Members& members);

/// Returns the number of nodes that are known to join when a run is formed again after a loss: the nodes that are not
/// lost, and those that want to join. Returns at most `most`.
int nodes_after_loss(const Host& host, const Members& members, int most);

/// Decides when a run in a cluster is formed again because nodes want to join it or to leave it. Sends no messages.
class NodeChanges {
 public:
  /// A node that wants to join, and then does not join, is ignored for this time. Otherwise it could make the run be
  /// formed again and again.
  static constexpr std::chrono::seconds kIgnored{60};
  /// The pause after `postpone`.
  static constexpr std::chrono::seconds kPause{10};
  static constexpr std::size_t kKept = 20;

  /// Returns the number of nodes with which the run should be formed again now. Returns none if no node wants to join
  /// or leave.
  /// @param newcomers the names of nodes that want to join
  /// @param leavers the number of nodes that want to leave. If the run was formed again and they are still in it,
  /// because they are needed, they are ignored for kPause, unless other nodes want to join or leave
  /// @param nodes the present number of nodes
  /// @param most the maximum number of nodes
  std::optional<int> due(const std::vector<std::string>& newcomers, int leavers, int nodes, int most,
                         Clock::time_point now);
  /// Records with which nodes the run was formed. Returns how they differ from those of the previous call; the first
  /// call returns no difference.
  /// @param names the names of the nodes, sorted
  /// @param step NodesChange::step
  NodesChange note_formed(std::vector<std::string> names, std::int64_t step, Clock::time_point now);
  /// Returns the last kKept changes, oldest first.
  const std::vector<NodesChange>& history() const { return history_; }
  /// Makes `due` return none for a while, because the state of the run could not be preserved.
  void postpone(Clock::time_point now) { paused_until_ = now + kPause; }

 private:
  std::vector<std::string> formed_;                   ///< the names of the last call of `note_formed`
  std::vector<std::string> awaited_;                  ///< the newcomers of the last call of `due`
  int leavers_ = 0;                                   ///< the leavers of the last call of `due`
  std::map<std::string, Clock::time_point> ignored_;  ///< the nodes that did not join: the time until which they are
                                                      ///< ignored
  Clock::time_point paused_until_;
  int kept_leavers_ = 0;  ///< the number of leavers that were still in the run when it was formed again
  Clock::time_point leavers_wait_until_;
  std::vector<NodesChange> history_;
};

}  // namespace troupe
