#include "collectives/state/served_state.hpp"

namespace troupe {

ServedState::ServedState(StoreClient& store, std::shared_ptr<const VersionedState> state)
    : state_(std::move(state)), held_(store), gradients_(store, state_->layout()) {
  for (int rank = 0; rank < layout().served; ++rank)
    served_.push_back(held_.create_sealed(layout().id(ObjectKind::served, rank), layout().bytes()));
}

}  // namespace troupe
