#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Records the starting points (sources) from which the state of a run can be computed again by steps alone. A source
/// is the start of the run, or a checkpoint that the run has written. This class stores only the names of checkpoints;
/// it reads and writes no files.
class Lineage {
 public:
  /// @param keep the number of checkpoints that the run keeps
  explicit Lineage(int keep) : keep_(static_cast<std::size_t>(keep)) {}

  /// Records that the run starts with the state of the checkpoint `checkpoint`. If this name is empty, the run starts
  /// with newly initialized weights.
  void begin(const std::string& checkpoint) {
    sources_ = {checkpoint};
    newest_step_ = -1;
  }
  /// Records that the state was changed in another way than by a step, for example because the user has set weights.
  /// Removes all sources, because steps from these sources do not lead to the changed state.
  void edit() {
    ++edits_;
    sources_.clear();
    newest_step_ = -1;
  }
  /// Returns the number of calls of `edit`.
  int edits() const { return edits_; }
  /// Records that `checkpoint`, which includes all edits of the state and was written after `step` steps, is on disk.
  /// If there are then more than `keep` checkpoints in addition to the first source, removes the oldest of these
  /// checkpoints.
  void save(const std::string& checkpoint, std::int64_t step) {
    newest_step_ = step;
    std::erase(sources_, checkpoint);
    sources_.push_back(checkpoint);
    if (sources_.size() > keep_ + 1) sources_.erase(sources_.begin() + 1);  // the run deletes this checkpoint
  }

  /// Returns the sources, from the newest to the oldest. After `edit`, the list is empty until `save` or `begin` is
  /// called.
  std::vector<std::string> sources() const { return {sources_.rbegin(), sources_.rend()}; }
  /// Returns the number of steps before the newest checkpoint that `save` has recorded; -1 if there is none.
  std::int64_t newest_step() const { return newest_step_; }
  /// Returns true if there is at least one source.
  bool known() const { return !sources_.empty(); }

 private:
  std::size_t keep_;
  int edits_ = 0;
  std::int64_t newest_step_ = -1;
  std::vector<std::string> sources_;
};

}  // namespace troupe
