#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/rounds.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/versions.hpp"

namespace troupe {

/// The number of floats of a flat vector.
struct FlatSize {
  std::size_t all = 0;
  std::size_t learned = 0;  ///< the number of floats that have a gradient
};

/// The present generation of a run: its members, slabs and connections. A new generation takes over the committed
/// version and the pinned versions of the previous generation.
class Generation {
 public:
  /// @param optimizer the settings of the optimizer as JSON, which workers receive
  /// @param backs_up whether workers are backups of each other
  Generation(std::uint64_t run, std::string optimizer, int state_vectors, bool backs_up = false);

  /// Sets the shape of the state in the next generation. Returns whether the shape or `outer` differs from the last
  /// call. If the shape has changed, the next generation takes over only the weights.
  /// @param outer see StateDescription::outer
  bool reshape(const StateShape& shape, std::string outer);

  /// Returns whether the present generation is valid: all members know it.
  bool stands() const { return attached_ > 0 && attached_ == layout_.generation; }
  /// Makes `workers` create new slabs for their gradients when the next generation begins.
  void renew_gradients(const std::vector<int>& workers);
  /// Marks the present generation as invalid, because a new worker does not know it, or because the state of shared
  /// objects is unknown.
  void fall() { attached_ = 0; }
  /// Begins a new generation: creates new slabs for the state, and has all workers map them. New slabs are necessary
  /// because sealed slabs cannot be opened for writing. If this function throws before `home` has created the slabs,
  /// the old generation is unchanged. If it throws later, no generation is valid. In both cases, `versions` still
  /// contains the buffers of the committed and pinned versions.
  /// @param has_servers whether the algorithm has parameter servers
  void begin(const PlanRequest& request, const FlatSize& size, const Members& members, Rounds& rounds, StateHome& home,
             Versions& versions, const Phase& phase, bool has_servers = false);

  /// Begins a generation only on the node that hosts `worker`; see `StateHome::begin_alone`. Afterwards no generation
  /// of the whole run is valid. On this node, buffer i contains the version that was in buffer `versions.live()[i]`.
  void begin_alone(int worker, const PlanRequest& request, Rounds& rounds, StateHome& home, const Versions& versions,
                   const Phase& phase);

  const Plan& plan() const { return plan_; }
  const SlabLayout& layout() const { return layout_; }
  /// Returns the layout of the slabs in the object store that contains the most shards.
  /// @param in_parts see StateHome::in_parts
  SlabLayout largest_store(bool in_parts) const;
  /// Returns the workers that reduce gradients and apply updates.
  const std::vector<int>& appliers() const { return appliers_; }

 private:
  /// Requests all workers to create their slabs. Returns by lane: the generation for which the gradient slabs of the
  /// lane's worker were created.
  std::vector<std::uint64_t> make_slabs(const Members& members, Rounds& rounds, const Phase& phase);

  std::string optimizer_;
  std::string outer_;
  bool backs_up_;
  Plan plan_;
  std::vector<int> appliers_;
  StateShape shape_;                        ///< the shape of the state in the next generation
  SlabLayout layout_;                       ///< the layout of the slabs in the present generation
  std::map<int, std::uint64_t> gradients_;  ///< by worker: the generation for which its gradient slabs were created
  std::uint64_t last_ = 0;                  ///< the number of the last generation that was tried
  std::uint64_t attached_ = 0;              ///< the number of the last generation that all workers know
};

}  // namespace troupe
