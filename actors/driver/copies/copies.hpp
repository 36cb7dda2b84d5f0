#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "actors/driver/copies/copy_pace.hpp"
#include "actors/driver/copies/copy_record.hpp"
#include "actors/driver/run.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// Makes copies of the state of a run in a cluster, so that the run can continue after the loss of a node: each node
/// copies the weights and its own slices of the optimizer's state, and the next node, its buddy, keeps a copy of these
/// slices. Restores the state from the newest copy that all nodes have acknowledged.
///
/// A copy begins after a step. It is then sent to the buddies in parts, after each of the following steps, so that
/// copying takes only a small share of the time (CopyPace).
class Copies {
 public:
  explicit Copies(Run& run);

  /// Returns whether copies of the run's state are made, with the present algorithm.
  bool are_made() const;
  /// Begins or continues a copy, if it is time. Must be called after each committed step, if copies are made. A failure
  /// does not end the run: the returned report contains it, and the first failure after a success is logged. If a node
  /// was lost, the next call that needs the node notices the loss.
  /// @param steps the number of steps that were made since the last call, in `seconds` seconds
  CopyReport advance(std::int64_t steps, double seconds) noexcept;

  // The next functions are for a state that can only be copied while the run is at rest, because parameter servers
  // change it between steps.
  /// Records that `steps` steps were made in `seconds` seconds. Returns whether a copy should be made now.
  bool is_due(std::int64_t steps, double seconds);
  /// Records that it took `seconds` seconds to bring the run to rest.
  void note_rest(double seconds) { note_work(seconds); }
  /// Returns the report after a step.
  /// @param seconds the time spent on copies after the step
  CopyReport report(double seconds) const;
  /// Makes a copy of the committed version at once. Returns false if this fails, as `advance` reports failures.
  /// @param again whether to make a copy even if the newest one has the same version, because some nodes lack that one
  bool make_now(bool again = false) noexcept;

  /// Returns whether there is a copy from which the run can continue: the run was not edited since.
  bool exist() const { return record_ && record_->edits == run_.lineage.edits(); }
  /// Returns whether all nodes have acknowledged a copy since the run began or was edited.
  bool ever_existed() const { return had_edits_ == run_.lineage.edits(); }
  /// Returns whether a run that is formed again continues from the newest copy: there is one, and no checkpoint is
  /// newer.
  bool are_wanted() const;
  /// Returns the copies that the nodes of a run that is formed again must have. If the run does not continue from a
  /// copy, it needs none.
  NeededCopies needed() const;
  /// Restores the newest copy into the buffer `buffer` of a new generation of a run that was formed again, and returns
  /// its version. The copies of a node that sends false values, or fails otherwise, are not used. If parts of the copy
  /// are lost, logs the reason, gives the copy up and returns none.
  /// @throws Error worker_lost or timeout if a node or a connection was lost meanwhile, so that another attempt may
  /// succeed
  std::optional<Version> restore(int buffer, const Phase& phase);
  /// Returns whether, when the newest copy was restored, all nodes that had made it still had their parts. Otherwise
  /// the loss of another node could be final.
  bool whole() const { return whole_; }
  /// Returns why the last call of `restore` has returned none; none again after the next complete copy.
  const std::optional<Error>& loss() const { return loss_; }
  /// Returns the number of pushes to parameter servers that were lost with restored copies since the last call.
  std::int64_t take_lost_pushes() { return std::exchange(lost_pushes_, 0); }
  /// Discards the record of the newest copy, because it cannot be restored, or because the run must not go back to it.
  /// The next copy is due at once.
  void give_up();
  /// Records that a copy could not be made because of `error`.
  void fail(const std::exception& error);
  /// Requests all nodes of the run to free the memory of their copies, because the run ends.
  void drop() noexcept;

 private:
  /// A copy that is being made.
  struct Current {
    CopyRecord record;
    std::uint64_t generation = 0;
    std::size_t segments = 0;  ///< the number of segments of the largest slices
    std::size_t sent = 0;      ///< the number of segments that were sent
  };

  /// Discards the record if the state was edited since then. Then a copy is due at once.
  void check_edits();
  /// Returns the copy among `offered` that is a part of the newest copy.
  std::optional<OfferedCopy> part_of(const std::vector<OfferedCopy>& offered) const;
  /// Returns the phase of a part of the work on a copy of the committed version.
  Phase copying() const;
  void work();
  void begin(const Phase& phase);
  /// Sends the next segments of the present copy.
  void send(std::size_t segments, const Phase& phase);
  void end(const Phase& phase);
  /// Returns the nodes of a run that was formed again, with the parts of the newest copy that they offer.
  std::vector<Returned> returned() const;
  /// Moves the pieces of the newest copy into the buffer `buffer`. Returns by piece the checksum that its receiver has
  /// computed.
  std::vector<std::uint64_t> move(const std::vector<CopyPiece>& pieces, int buffer, const Phase& phase) const;
  /// Restores the newest copy as `restore` does.
  /// @throws Error worker_lost without a place if parts of the copy are lost
  void restore_newest(int buffer, const Phase& phase);

  /// Records that `seconds` seconds were spent on a copy, and that `segments` segments were sent.
  void note_work(double seconds, std::size_t segments = 0);

  Run& run_;
  CopyPace pace_;
  const std::uint64_t run_name_;  ///< a name that no other run has; the nodes store it with their copies
  std::uint64_t last_number_ = 0;
  std::optional<Current> current_;
  std::optional<CopyRecord> record_;  ///< the newest copy that all nodes have acknowledged
  bool whole_ = false;
  int had_edits_ = -1;
  CopyReport report_;
  CopyTotals totals_;
  std::optional<Error> loss_;
  std::int64_t copied_pushes_ = 0;  ///< AlgorithmRunner::pushes when the newest copy was made
  std::int64_t lost_pushes_ = 0;
};

}  // namespace troupe
