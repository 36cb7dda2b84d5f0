#pragma once

#include "actors/caf.hpp"

namespace troupe {

/// A handler for a request, which is the driver's alone to make: nobody else is obeyed.
template <class Request, class Work>
auto obey(caf::event_based_actor* self, const caf::actor& driver, Work work) {
  return [=](const Request& request) {
    const HandOver hand_over;  // the next request may be another thread's
    if (self->current_sender() == driver) work(request);
  };
}

}  // namespace troupe
