#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

/// From what the state of a run can be made again by steps alone: how it began, and the checkpoints that it has written
/// since. Plain book-keeping.
class Lineage {
 public:
  /// @param keep how many of its checkpoints a run keeps
  explicit Lineage(int keep) : keep_(static_cast<std::size_t>(keep)) {}

  /// The run begins with this checkpoint; with first weights where it is empty.
  void begin(const std::string& checkpoint) { sources_ = {checkpoint}; }
  /// Something else than a step has changed the state: nothing that was before leads there.
  void edit() {
    ++edits_;
    sources_.clear();
  }
  /// How often that was.
  int edits() const { return edits_; }
  /// A checkpoint of what was there after all edits is on disk.
  void save(const std::string& checkpoint) {
    std::erase(sources_, checkpoint);
    sources_.push_back(checkpoint);
    if (sources_.size() > keep_ + 1) sources_.erase(sources_.begin() + 1);  // which is pruned
  }

  /// The newest first, how it began last; nothing after an edit, until there is a checkpoint.
  std::vector<std::string> sources() const { return {sources_.rbegin(), sources_.rend()}; }
  bool known() const { return !sources_.empty(); }

 private:
  std::size_t keep_;
  int edits_ = 0;
  std::vector<std::string> sources_;
};

}  // namespace troupe
