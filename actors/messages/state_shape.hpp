#pragma once

#include "collectives/state/slab_layout.hpp"

namespace troupe {

template <class F>
auto fields(StateShape& x, F visit) {
  return visit(x.vectors, x.singles, x.per_shard, x.parts, x.spares);
}

}  // namespace troupe
