#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

/// The sources from which the state of a run can be recomputed by steps alone: the start of the run, and the
/// checkpoints that it has written since. Plain book-keeping.
class Lineage {
 public:
  /// @param keep the number of checkpoints that the run keeps
  explicit Lineage(int keep) : keep_(static_cast<std::size_t>(keep)) {}

  /// Records that the run starts with this checkpoint. If `checkpoint` is empty, it starts with first weights.
  void begin(const std::string& checkpoint) { sources_ = {checkpoint}; }
  /// Records that the state was changed by something other than a step. No earlier source leads to the new state.
  void edit() {
    ++edits_;
    sources_.clear();
  }
  /// Returns the number of calls of `edit`.
  int edits() const { return edits_; }
  /// Records that a checkpoint of the state after all edits is on disk.
  void save(const std::string& checkpoint) {
    std::erase(sources_, checkpoint);
    sources_.push_back(checkpoint);
    if (sources_.size() > keep_ + 1) sources_.erase(sources_.begin() + 1);  // the pruned checkpoint
  }

  /// Returns the sources, newest first, with the start of the run last. Empty after an edit until there is a
  /// checkpoint.
  std::vector<std::string> sources() const { return {sources_.rbegin(), sources_.rend()}; }
  bool known() const { return !sources_.empty(); }

 private:
  std::size_t keep_;
  int edits_ = 0;
  std::vector<std::string> sources_;
};

}  // namespace troupe
