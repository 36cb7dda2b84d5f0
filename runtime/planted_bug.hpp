#pragma once

#include <cstdint>

namespace troupe {

/// Mistakes on purpose. A build with the CMake option TROUPE_PLANTED_BUGS makes the one that the environment variable
/// TROUPE_PLANTED_BUG names, and scripts/planted_bugs.sh sees to it that tests catch each; other builds make none.
enum class PlantedBug : std::uint8_t {
  no_fsync,              ///< files are not brought to disk
  early_commit,          ///< a step is committed before all have applied it
  generation_unchecked,  ///< a generation stands though it did not begin everywhere
  newcomer_forgotten,    ///< a generation stands though a new worker does not know it
  pin_ignored,           ///< what is pinned is written
  duplicate_counted,     ///< a reply that comes twice counts twice
  stale_reply_taken,     ///< a reply of an earlier round counts
  replicas_not_rebuilt,  ///< a worker that was replaced counts as built
  wrong_step_replayed,   ///< a step that is made again has another number
  shard_dealt_twice,     ///< two workers get the same shards after one has left
  budget_never_spent,    ///< each loss is repaired
  gradients_kept_on,     ///< what was computed for one step counts in the next
  late_gradients_taken,  ///< the slab of a worker that is left out counts, whatever is in it
};

#if defined(TROUPE_PLANTED_BUGS)
bool planted(PlantedBug bug);
#else
constexpr bool planted(PlantedBug /*bug*/) { return false; }
#endif

}  // namespace troupe
