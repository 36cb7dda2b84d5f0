#include "mutation/known_holes.hpp"

#include <set>
#include <string>

namespace troupe_test {

bool is_known_hole(const Lie& lie) {
  static const std::set<std::string, std::less<>> fields{
      "BeginGeneration.buffers",         // fills the node's store
      "Build.plan.topology.num_shards",  // takes gigabytes
      "Heard.round",                     // the driver waits for ever
      "Listen.round",                    // likewise
  };
  return fields.contains(lie.field());
}

}  // namespace troupe_test
