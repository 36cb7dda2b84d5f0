#include "actors/driver/faults/losses.hpp"

#include <algorithm>

namespace troupe {

void Losses::take(const Error& loss, const Members* members, const Drop& drop) {
  // Workers are replaced only on one machine. In a cluster, a worker is lost together with its node, which cannot be
  // replaced.
  const bool replaces = rules_.replaces_workers();
  const Where& where = loss.where();
  if (std::ranges::count(newcomers_, where.worker) > 0) throw Error(loss);
  const bool allowed = budget_.allows(loss, Clock::now());
  if (replaces && elasticity_.drops_lost(allowed)) drop(where.worker);
  const bool dropped = replaces && !members->takes_part(where.worker);
  if (!allowed && !dropped) throw budget_.spent();
  repairs_.push_back({replaces ? where.worker : -1, where.node, where.phase, loss.message(), dropped});
  Clock::sleep_for(budget_.pause());
}

int Losses::note_untold(Rounds& rounds, const Members& members, bool replaced, const Drop& drop) {
  if (!rules_.replaces_workers()) return 0;
  int noted = 0;
  while (const auto loss = rounds.untold_loss(replaced)) {
    const Where& where = loss->where();
    const bool allowed = budget_.allows(*loss, Clock::now());
    if (!replaced && elasticity_.drops_lost(allowed)) drop(where.worker);
    // The last repair has replaced this worker, too, so its time counts for both repairs.
    const double seconds = repairs_.empty() ? 0 : repairs_.back().seconds;
    const bool dropped = !members.takes_part(where.worker);
    if (!allowed && !(dropped && elasticity_.drops_lost(allowed))) continue;
    repairs_.push_back({where.worker, where.node, where.phase, loss->message(), dropped, seconds});
    ++noted;
  }
  return noted;
}

}  // namespace troupe
