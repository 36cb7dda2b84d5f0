#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "actors/messages/copies.hpp"
#include "collectives/state/state_copy.hpp"

namespace troupe {

/// The two copies of the state that a node keeps: the last complete one, and the one that is being made.
class NodeCopies {
 public:
  using Files = std::array<FileDescriptor, 2>;

  /// Keeps copies in this process only.
  NodeCopies() : NodeCopies(make_files()) {}
  /// Keeps copies in `files`. If they contain complete copies of an earlier process, provides those.
  explicit NodeCopies(Files files);

  /// Returns two empty memory files.
  static Files make_files();

  /// Returns the copy with this number, which may not exist yet.
  StateCopy& copy(std::uint64_t number) { return copies_[number % copies_.size()]; }
  /// Returns the complete copy with this number of the run `run`.
  /// @throws Error protocol if it does not exist
  const StateCopy& complete_copy(std::uint64_t run, std::uint64_t number) const;
  /// Returns the complete copies.
  std::vector<OfferedCopy> offers() const;
  void clear();
  /// Returns the memory that both copies use, in bytes.
  std::size_t bytes() const { return copies_[0].bytes() + copies_[1].bytes(); }

 private:
  std::array<StateCopy, 2> copies_;
};

}  // namespace troupe
