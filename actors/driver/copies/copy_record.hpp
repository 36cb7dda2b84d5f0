#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/messages/copies.hpp"
#include "collectives/plan/range.hpp"
#include "collectives/state/versions.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// The driver's record of one copy of the state that all nodes have acknowledged: which node keeps what, and the
/// checksums that the owners computed. The buddy of each node, which keeps a copy of the node's slices, is the next
/// node; the buddy of the last node is the first one.
struct CopyRecord {
  /// The part of the copy that one node owned.
  struct Owner {
    std::string name;                 ///< the name in the node's certificate
    Range slices;                     ///< the floats of the optimizer's vectors that the node owned
    std::vector<std::uint64_t> sums;  ///< by vector of the optimizer: the checksum of the slices
  };

  std::uint64_t number = 0;
  Version version;
  std::size_t size = 0;            ///< the number of floats of a vector
  int vectors = 1;                 ///< the number of vectors of the state
  std::uint64_t weights_sum = 0;   ///< the checksum of the weights
  std::vector<Owner> owners = {};  ///< by number of the node, when the copy was made
  int edits = 0;                   ///< Lineage::edits when the copy was made

  int buddy_of(int owner) const { return (owner + 1) % static_cast<int>(owners.size()); }
  /// Returns whether the owner whose slices this part of a copy states has this name.
  bool is_of(const OfferedCopy& copy, const std::string& name) const;
};

/// Returns the number of the next copy. Nodes keep copies with odd and even numbers in different memory, so the number
/// is chosen so that the copy `newest` stays complete.
/// @param last the number of the last copy that was begun
/// @param newest the newest copy that all nodes have acknowledged; null if there is none
std::uint64_t next_number(std::uint64_t last, const CopyRecord* newest);

/// A node of a run that was formed again.
struct Returned {
  std::string name;                 ///< the name in the node's certificate
  std::optional<OfferedCopy> copy;  ///< the copy with the record's number, if the node offers it
  Range slices;                     ///< the floats of the optimizer's vectors that the node owns in the new run
};

/// Returns the pieces that move from copies into the states of the new nodes, so that each node has all weights and its
/// slices of the optimizer's vectors. A copy whose node has another name than the record states is not used.
/// @throws Error worker_lost with the names of the nodes whose slices are lost, if no returned node has a copy of them
std::vector<CopyPiece> pieces_of(const CopyRecord& record, const std::vector<Returned>& nodes);

/// Compares the checksums of all moved pieces with those of the record. Returns the number of a node that has sent
/// false values; none if all values are right.
/// @param sums by piece: the checksum that the receiving node has computed
std::optional<int> find_false_copy(const CopyRecord& record, const std::vector<CopyPiece>& pieces,
                                   const std::vector<std::uint64_t>& sums);

}  // namespace troupe
