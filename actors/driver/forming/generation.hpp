#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "actors/rounds/rounds.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/versions.hpp"

namespace troupe {

/// Of the flat vectors, in floats.
struct FlatSize {
  std::size_t all = 0;
  std::size_t learned = 0;  ///< of which have a gradient
};

/// One membership, with its slabs and connections. A new one is begun with what is committed or pinned.
class Generation {
 public:
  /// @param optimizer as JSON, for workers. @param backs_up whether workers back each other up
  Generation(std::uint64_t run, std::string optimizer, int state_vectors, bool backs_up = false);

  /// The next one has such a state; of the one before the weights alone go on, where it is another.
  /// @param outer as StateDescription::outer. Returns whether it is.
  bool reshape(const StateShape& shape, std::string outer);

  /// Whether everybody knows it.
  bool stands() const { return attached_ > 0 && attached_ == layout_.generation; }
  /// These workers' gradients are to have other slabs.
  void renew_gradients(const std::vector<int>& workers);
  /// A worker is new and does not know it, or what it shares with others is in an unknown state.
  void fall() { attached_ = 0; }
  /// Makes the state's slabs anew, since nobody can open a sealed one for writing, and has all workers attach to them.
  /// When it throws before the home has made the slabs, the one before stands as it stood; later, none stands. What is
  /// committed or pinned is where `versions` says, either way.
  /// @param has_servers whether parameter servers serve workers
  void begin(const PlanRequest& request, const FlatSize& size, const Members& members, Rounds& rounds, StateHome& home,
             Versions& versions, const Phase& phase, bool has_servers = false);

  /// As `StateHome::begin_alone`: afterwards none stands, and buffer i can be read there that `versions.live()[i]` is
  /// elsewhere.
  void begin_alone(int worker, const PlanRequest& request, Rounds& rounds, StateHome& home, const Versions& versions,
                   const Phase& phase);

  const Plan& plan() const { return plan_; }
  const SlabLayout& layout() const { return layout_; }
  /// That of the store that holds most of it. @param in_parts as StateHome
  SlabLayout largest_store(bool in_parts) const;
  /// Workers that have a part in reducing and applying.
  const std::vector<int>& appliers() const { return appliers_; }

 private:
  /// Has workers make their slabs; returns, by lane, the generation that its gradients' slabs were made for.
  std::vector<std::uint64_t> make_slabs(const Members& members, Rounds& rounds, const Phase& phase);

  std::string optimizer_;
  std::string outer_;
  bool backs_up_;
  Plan plan_;
  std::vector<int> appliers_;
  StateShape shape_;                        ///< of the next
  SlabLayout layout_;                       ///< of this
  std::map<int, std::uint64_t> gradients_;  ///< by worker, the generation that its gradients' slabs were made for
  std::uint64_t last_ = 0;                  ///< that was tried
  std::uint64_t attached_ = 0;              ///< that all workers know
};

}  // namespace troupe
