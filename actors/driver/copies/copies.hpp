#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/driver/copies/copy_pace.hpp"
#include "actors/driver/copies/copy_record.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "collectives/state/versions.hpp"
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
  /// @param every FaultToleranceOptions::copy_every
  /// @param run a name that no other run has; the nodes store it with their copies
  Copies(std::int64_t every, std::uint64_t run) : enabled_(every >= 0), pace_(every), run_name_(run) {}

  /// Returns whether copies of a state of this shape are made.
  bool supports(const StateShape& shape) const { return enabled_ && shape.singles == 0 && shape.per_shard == 0; }
  /// Begins or continues a copy, if it is time. Must be called after each committed step, if the state can be copied.
  /// A failure does not end the run: the returned report contains it, and the first failure after a success is logged.
  /// If a node was lost, the next call that needs the node notices the loss.
  /// @param versions the versions of the state; the committed one is copied
  /// @param edits Lineage::edits
  /// @param steps the number of steps that were made since the last call, in `seconds` seconds
  /// @param timeout the maximum time for one part of the work
  CopyReport advance(FormedRun& run, const Versions& versions, int edits, std::int64_t steps, double seconds,
                     std::chrono::milliseconds timeout) noexcept;

  // The next functions are for a state that can only be copied while the run is at rest, because parameter servers
  // change it between steps.
  /// Records that `steps` steps were made in `seconds` seconds. Returns whether a copy should be made now.
  /// @param step the number of committed steps
  bool is_due(int edits, std::int64_t steps, std::int64_t step, double seconds);
  /// Records that it took `seconds` seconds to bring the run to rest.
  void note_rest(double seconds) { note_work(seconds); }
  /// Returns the report after a step.
  /// @param seconds the time spent on copies after the step
  CopyReport report(double seconds) const;
  /// Makes a copy of the committed version at once. Returns false if this fails, as `advance` reports failures.
  /// @param again whether to make a copy even if the newest one has the same version, because some nodes lack that one
  bool make_now(FormedRun& run, const Versions& versions, int edits, bool again,
                std::chrono::milliseconds timeout) noexcept;

  /// Returns whether there is a copy from which a run with `edits` edits (Lineage::edits) can continue.
  bool has(int edits) const { return record_ && record_->edits == edits; }
  /// Returns whether all nodes have acknowledged a copy since the run began or was edited.
  bool ever_had(int edits) const { return had_edits_ == edits; }
  /// Restores the newest copy into the buffer `buffer` of a new generation of a run that was formed again. Returns the
  /// restored version. The copies of a node that sends false values, or fails otherwise, are not used.
  /// @throws Error worker_lost without a place if parts of the copy are lost; worker_lost with a place, or timeout, if
  /// a node or a connection was lost meanwhile, so that another attempt may succeed
  Version restore(FormedRun& run, int buffer, const Phase& phase);
  /// Returns the number of the step of the newest copy; -1 if there is none.
  std::int64_t step() const { return record_ ? record_->version.step : -1; }
  /// Returns whether the newest copy can be restored from the copies that these nodes offer.
  bool suffice(const std::vector<JoinedNode>& nodes) const;
  /// Returns whether this node offers a part of the newest copy.
  bool are_on(const JoinedNode& node) const;
  /// Returns whether, when the newest copy was restored, all nodes that had made it still had their parts. Otherwise
  /// the loss of another node could be final.
  bool whole() const { return whole_; }
  /// Discards the record of the newest copy, because it cannot be restored, or because the run must not go back to it.
  /// The next copy is due at once.
  void give_up();
  /// Records that a copy could not be made because of `error`.
  void fail(const std::exception& error);
  /// Requests all nodes of the run to free the memory of their copies, because the run ends.
  void drop(FormedRun& run) noexcept;

 private:
  /// A copy that is being made.
  struct Current {
    CopyRecord record;
    std::uint64_t generation = 0;
    std::size_t segments = 0;  ///< the number of segments of the largest slices
    std::size_t sent = 0;      ///< the number of segments that were sent
  };

  /// Discards the record if the state was edited since then. Then a copy is due at once.
  void check_edits(int edits);
  /// Returns the copy among `offered` that is a part of the newest copy.
  std::optional<OfferedCopy> part_of(const std::vector<OfferedCopy>& offered) const;
  void work(FormedRun& run, const Versions& versions, int edits, std::chrono::milliseconds timeout);
  void begin(FormedRun& run, const Versions& versions, int edits, const Phase& phase);
  /// Sends the next segments of the present copy.
  void send(FormedRun& run, std::size_t segments, const Phase& phase);
  void end(FormedRun& run, const Phase& phase);
  /// Returns the nodes of a run that was formed again, with the parts of the newest copy that they offer.
  std::vector<Returned> returned(FormedRun& run) const;
  /// Moves the pieces of the newest copy into the buffer `buffer`. Returns by piece the checksum that its receiver has
  /// computed.
  std::vector<std::uint64_t> move(FormedRun& run, const std::vector<CopyPiece>& pieces, int buffer,
                                  const Phase& phase) const;

  /// Records that `seconds` seconds were spent on a copy, and that `segments` segments were sent.
  void note_work(double seconds, std::size_t segments = 0);

  bool enabled_;
  CopyPace pace_;
  std::uint64_t run_name_;
  std::uint64_t last_number_ = 0;
  std::optional<Current> current_;
  std::optional<CopyRecord> record_;  ///< the newest copy that all nodes have acknowledged
  bool whole_ = false;
  int had_edits_ = -1;
  CopyReport report_;
  CopyTotals totals_;
};

}  // namespace troupe
