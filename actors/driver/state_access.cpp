#include "actors/driver/state_access.hpp"

#include <algorithm>
#include <string>

#include "actors/driver/node_vectors.hpp"

namespace troupe {

void StateAccess::read_weights(const ReadFloats& use) {
  HeldFloats weights;
  if (run_.rules().replaces_workers())
    members_.make_ready(Needs::members, [&] {
      weights = run_.formed->transfers().fetch(all_of(kWeightsVector), run_.versions.buffer(), run_.saving("weights"));
    });
  else
    weights = fetch_weights_of_nodes();
  use(weights.floats);
}

HeldFloats StateAccess::fetch_weights_of_nodes() {
  const auto fetch = [this] {
    return fetch_of_nodes(
        run_, kWeightsVector, [this] { return run_.versions.buffer(); }, "weights");
  };
  if (run_.formed) try {
      return fetch();
    } catch (const Error& error) {
      if (!nodes_.can_form_again() || !run_.may_come_of_lost_node(error)) throw;
    }
  if (!nodes_.kept_weights().empty()) return {nodes_.kept_weights(), nullptr};
  members_.make_ready(Needs::members);
  return fetch();
}

void StateAccess::set_weights(std::span<const float> values) {
  const std::size_t size = total_size(run_.model().tensors);
  if (values.size() != size)
    throw Error(ErrorCode::model_mismatch,
                std::to_string(values.size()) + " weights for a model of " + std::to_string(size));
  members_.make_ready(Needs::spare_buffer, [&] {
    const Phase at = run_.saving("set_weights");
    const int buffer = *run_.versions.spare();
    Transfers& transfers = run_.formed->transfers();
    const auto fill = [&](std::span<float> floats) { std::ranges::copy(values, floats.begin()); };
    Transfers::Writing(transfers, size, run_.model().traits.size).write(fill, kWeightsVector, buffer, at);
    if (run_.formed->generation().layout().num_vectors() > 1) transfers.clear(buffer, at);
    run_.versions.commit(buffer, {run_.versions.committed().step, 0});
    run_.algorithm->forget();
  });
  run_.lineage.edit();
}

Versions::PinId StateAccess::pin() {
  if (run_.algorithm->under_way() || !run_.algorithm->whole()) members_.make_ready(Needs::members);
  if (!run_.versions.any())
    throw Error(ErrorCode::worker_lost, "the run has lost a node and has not been formed again yet");
  if (run_.versions.live().size() + 2 > kMostBuffers)
    throw Error(ErrorCode::unsupported, "too many versions are pinned for the limit of buffers");
  return run_.versions.pin();
}

void StateAccess::read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* name) {
  if (!run_.versions.holds(pin))
    throw Error(ErrorCode::worker_lost, "the pinned version was lost with the run that lost a node", {.phase = name});
  const auto buffer = [&] { return run_.versions.buffer_of(pin); };
  const HeldFloats floats = run_.rules().replaces_workers() ? fetch_pinned(pin, all_of(vector), name)
                                                            : fetch_of_nodes(run_, vector, buffer, name);
  use(floats.floats);
}

HeldFloats StateAccess::fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* name) {
  HeldFloats floats;
  const auto fetch = [&] {
    floats = run_.formed->transfers().fetch(part, run_.versions.buffer_of(pin), run_.saving(name));
  };
  if (run_.rules().replaces_workers()) {
    members_.make_ready(Needs::members, fetch);
    return floats;
  }
  // In a cluster, do not form the run again here: if the run has lost a node, the checkpoint is dropped. The state need
  // not be completed, because the weights of a pinned version are complete on every node.
  if (run_.algorithm->under_way()) run_.rest();
  run_.settle_members(Needs::members);
  fetch();
  return floats;
}

}  // namespace troupe
