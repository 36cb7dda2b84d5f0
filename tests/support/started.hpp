#pragma once

#include <memory>

#include "troupe/model.hpp"

namespace troupe::testing {

/// The model, started as the only replica of a run unless told otherwise.
template <class M>
std::unique_ptr<M> started(std::unique_ptr<M> model, const ReplicaContext& context = {}) {
  model->start(context);
  return model;
}

}  // namespace troupe::testing
