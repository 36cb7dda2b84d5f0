#pragma once

#include <cstddef>
#include <vector>

#include "actors/placements/host.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// Decides when a run in a cluster begins, and with which of the nodes that have joined. Sends no messages.
class Gathering {
 public:
  /// If the number of nodes is a range, a run begins with the minimum when no node has joined for this time.
  static constexpr std::chrono::milliseconds kQuietTime{500};
  /// A run that is formed again waits this time for the nodes that are known to come, if it has the minimum of nodes.
  static constexpr std::chrono::milliseconds kReturnTime{3000};
  /// If the state cannot be restored from the copies of the nodes that have joined, a run waits this time for other
  /// nodes, or only kReturnTime if it has the maximum of nodes.
  static constexpr std::chrono::seconds kCopiesTime{10};

  /// @param least the minimum number of nodes
  /// @param most the maximum number of nodes
  /// @param expected see Host::gather
  Gathering(int least, int most, int expected, const NeededCopies& needed)
      : least_(static_cast<std::size_t>(least)),
        most_(static_cast<std::size_t>(most)),
        expected_(static_cast<std::size_t>(expected)),
        needed_(needed) {}

  /// Returns whether nodes that want to leave must stay, because the other nodes in `joined` are fewer than the
  /// minimum, or their copies do not suffice.
  bool needs_leavers(const std::vector<JoinedNode>& joined) const;
  /// Returns the positions in `joined` of the nodes with which the run begins now; an empty list if the run waits for
  /// further nodes. If too many nodes have joined, those that keep copies of the state are preferred, and then those
  /// that have joined first. Nodes that want to leave take part only if they are needed. Must be called regularly.
  /// @param joined the nodes that have joined, in order
  /// @param late whether the deadline for joining has passed
  std::vector<std::size_t> choose(const std::vector<JoinedNode>& joined, bool late);

 private:
  /// Returns the nodes that do not want to leave; if they are too many, those that `choose` prefers.
  std::vector<std::size_t> stayers(const std::vector<JoinedNode>& joined) const;
  /// Returns whether the copies of the nodes at these positions suffice.
  bool suffice(const std::vector<JoinedNode>& joined, const std::vector<std::size_t>& nodes) const;
  /// Adds nodes that want to leave to `chosen`, until the nodes and their copies suffice. If there are too many nodes
  /// then, removes nodes without copies from the end.
  void add_leavers(const std::vector<JoinedNode>& joined, std::vector<std::size_t>& chosen) const;

  std::size_t least_;
  std::size_t most_;
  std::size_t expected_;
  const NeededCopies& needed_;
  std::size_t before_ = 0;  ///< the number of nodes at the last call
  Deadline quiet_{kQuietTime};
  Deadline return_{kReturnTime};
  Deadline copies_{kCopiesTime};
};

}  // namespace troupe
