#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

/// Records from which sources the state of a run can be recomputed by steps alone. A source is the start of the run, or
/// a checkpoint that the run has written since. This class stores names only; it reads and writes no files.
class Lineage {
 public:
  /// @param keep the number of checkpoints that the run keeps
  explicit Lineage(int keep) : keep_(static_cast<std::size_t>(keep)) {}

  /// Records that the run starts with the checkpoint of this name. If `checkpoint` is empty, the run starts with newly
  /// initialized weights.
  void begin(const std::string& checkpoint) { sources_ = {checkpoint}; }
  /// Records that the state was changed by something other than a step. Removes all sources, because steps from these
  /// sources no longer lead to the new state.
  void edit() {
    ++edits_;
    sources_.clear();
  }
  /// Returns the number of calls of `edit`.
  int edits() const { return edits_; }
  /// Records that a checkpoint is on disk, with a state that includes all edits. If there are then more than `keep`
  /// checkpoints besides the start of the run, removes the oldest of them.
  void save(const std::string& checkpoint) {
    std::erase(sources_, checkpoint);
    sources_.push_back(checkpoint);
    if (sources_.size() > keep_ + 1) sources_.erase(sources_.begin() + 1);  // the run deletes this checkpoint
  }

  /// Returns the sources, newest first, with the start of the run last. After `edit`, the list is empty until `save` or
  /// `begin` is called.
  std::vector<std::string> sources() const { return {sources_.rbegin(), sources_.rend()}; }
  /// Returns true if there is at least one source.
  bool known() const { return !sources_.empty(); }

 private:
  std::size_t keep_;
  int edits_ = 0;
  std::vector<std::string> sources_;
};

}  // namespace troupe
