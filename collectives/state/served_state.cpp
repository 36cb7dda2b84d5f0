#include "collectives/state/served_state.hpp"

namespace troupe {

ServedState::ServedState(StoreClient& store, std::shared_ptr<const VersionedState> state)
    : state_(std::move(state)), held_(store), gradients_(store, state_->layout()) {
  for (std::size_t rank = layout().served.begin; rank < layout().served.end; ++rank)
    served_.push_back(held_.create_sealed(layout().id(ObjectKind::served, static_cast<int>(rank)), layout().bytes()));
}

}  // namespace troupe
