#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/rounds.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/versions.hpp"

namespace troupe {

/// The size of the flat vectors, in floats.
struct FlatSize {
  std::size_t all = 0;
  std::size_t learned = 0;  ///< floats with a gradient
};

/// The present generation of a run: one membership with its slabs and connections. A new generation starts with the
/// committed and pinned versions of the previous one.
class Generation {
 public:
  /// @param optimizer the options of the optimizer as JSON, for workers
  /// @param backs_up whether workers back each other up
  Generation(std::uint64_t run, std::string optimizer, int state_vectors, bool backs_up = false);

  /// Sets the shape of the state in the next generation. If the shape changes, only the weights are carried over.
  /// Returns whether the shape or `outer` has changed.
  /// @param outer see StateDescription::outer
  bool reshape(const StateShape& shape, std::string outer);

  /// Returns whether all members know this generation.
  bool stands() const { return attached_ > 0 && attached_ == layout_.generation; }
  /// Makes these workers create new slabs for their gradients in the next generation.
  void renew_gradients(const std::vector<int>& workers);
  /// Invalidates the generation, because a new worker does not know it, or because shared objects are in an unknown
  /// state.
  void fall() { attached_ = 0; }
  /// Begins a new generation: creates new slabs for the state, because sealed slabs cannot be opened for writing, and
  /// attaches all workers to them. If it throws before `home` has created the slabs, the old generation is unchanged.
  /// If it throws later, no generation is valid. In both cases, `versions` still locates the committed and pinned
  /// versions.
  /// @param has_servers whether parameter servers serve workers
  void begin(const PlanRequest& request, const FlatSize& size, const Members& members, Rounds& rounds, StateHome& home,
             Versions& versions, const Phase& phase, bool has_servers = false);

  /// Begins a generation on the node of one worker only; see `StateHome::begin_alone`. Afterwards no generation of all
  /// members is valid. On the worker's node, buffer i contains the version that was in buffer `versions.live()[i]`.
  void begin_alone(int worker, const PlanRequest& request, Rounds& rounds, StateHome& home, const Versions& versions,
                   const Phase& phase);

  const Plan& plan() const { return plan_; }
  const SlabLayout& layout() const { return layout_; }
  /// Returns the layout of the store with the most shards.
  /// @param in_parts see StateHome
  SlabLayout largest_store(bool in_parts) const;
  /// Returns the workers that take part in reducing and applying.
  const std::vector<int>& appliers() const { return appliers_; }

 private:
  /// Has workers make their slabs. Returns, by lane, the generation for which the worker's gradient slabs were made.
  std::vector<std::uint64_t> make_slabs(const Members& members, Rounds& rounds, const Phase& phase);

  std::string optimizer_;
  std::string outer_;
  bool backs_up_;
  Plan plan_;
  std::vector<int> appliers_;
  StateShape shape_;                        ///< of the next generation
  SlabLayout layout_;                       ///< of this generation
  std::map<int, std::uint64_t> gradients_;  ///< by worker, the generation that its gradient slabs were made for
  std::uint64_t last_ = 0;                  ///< the last generation that was tried
  std::uint64_t attached_ = 0;              ///< the last generation that all workers know
};

}  // namespace troupe
