#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "collectives/plan/range.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/processes/memory.hpp"

namespace troupe {

/// Identifies the content of a StateCopy, and states its sizes.
struct CopyContents {
  std::uint64_t run = 0;     ///< the name that the driver has drawn for all copies of its run
  std::uint64_t number = 0;  ///< the number of the copy in the run, from 1 on
  std::int32_t holder = 0;   ///< the number of this node among the nodes, when the copy was made
  std::int32_t vectors = 1;  ///< the number of vectors of the state; vector 0 contains the weights
  std::uint64_t size = 0;    ///< the number of floats of a vector
  Range own;                 ///< the floats of the optimizer's vectors that this node owns
  Range kept;                ///< the floats of the optimizer's vectors that this node keeps for another node

  bool operator==(const CopyContents&) const = default;
};

/// A node's copy of one version of the state: the weights, the node's own slices of the optimizer's vectors, and the
/// slices of the node for which it is the buddy. The copy is in a memory file, which the node's supervisor also holds.
/// So the copy survives the process that made it. The file begins with a header that states the content, and whether
/// the copy is complete.
class StateCopy {
 public:
  /// @param file a memory file whose size can be changed. If it contains a complete copy, which an earlier process has
  /// made, this object provides that copy
  explicit StateCopy(FileDescriptor file);

  /// Returns the content of the copy; none if there is no complete copy.
  std::optional<CopyContents> contents() const;
  /// Begins a new copy: discards the present one, and provides memory for the new one, whose values are undefined.
  /// @throws Error store_full if the machine has not enough memory
  void begin(const CopyContents& contents);
  /// Records that all values of the new copy are written.
  void complete();
  /// Discards the copy and frees its memory.
  void clear();
  /// Returns the size of the memory file in bytes.
  std::size_t bytes() const { return mapping_ ? mapping_->bytes() : 0; }

  // The next functions may be called after `begin`, or if there is a complete copy.
  const CopyContents& shape() const;
  std::span<float> weights() const;
  /// Returns this node's own slices of vector `vector`, which is not the weights.
  std::span<float> own(int vector) const;
  /// Returns the slices of vector `vector` that this node keeps for another node.
  std::span<float> kept(int vector) const;
  /// Returns `own(1)`, `own(2)` and so on, which are adjacent in memory.
  std::span<float> all_own() const;
  /// Returns `kept(1)`, `kept(2)` and so on, which are adjacent in memory. The owner of these slices returns them from
  /// `all_own` in the same order.
  std::span<float> all_kept() const;
  /// Returns the object that owns the memory.
  std::shared_ptr<const void> memory() const { return mapping_; }

 private:
  struct Header;
  Header& header() const;
  std::span<float> part(std::size_t begin, std::size_t floats) const;

  FileDescriptor file_;
  std::shared_ptr<Mapping> mapping_;  ///< null if the file is empty
};

}  // namespace troupe
