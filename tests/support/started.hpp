#pragma once

#include <memory>

#include "troupe/model.hpp"

namespace troupe::testing {

/// Starts the model and returns it. By default the model is the only replica of a run.
template <class M>
std::unique_ptr<M> started(std::unique_ptr<M> model, const ReplicaContext& context = {}) {
  model->start(context);
  return model;
}

}  // namespace troupe::testing
