#include "actors/worker/duties.hpp"
#include "actors/worker/transfer_object.hpp"

// Vectors of the state in canonical order, and back: the model knows the permutation.
namespace troupe {
namespace {

/// All who are to write have published.
constexpr std::chrono::seconds kMapTimeout{10};

}  // namespace

void work(WorkerState& worker, Replica& replica, const Initialize& request) {
  Model& model = *replica.model;
  write_transfer(*worker.store, transfer_id(worker.layout.run, request.flat), model.info().size,
                 [&](std::span<float> flat) { model.initialize(flat, worker.seed); });
}

void work(WorkerState& worker, Replica& replica, const ExportVector& request) {
  const Model& model = *replica.model;
  const auto vector = worker.slabs->map_vector(request.vector, request.buffer, kMapTimeout);
  const auto flat = vector->floats().first(model.info().size);
  write_transfer(*worker.store, transfer_id(worker.layout.run, request.canonical), total_size(model.info().tensors),
                 [&](std::span<float> canonical) { model.to_canonical(flat, canonical); });
}

void work(WorkerState& worker, Replica& replica, const ImportVector& request) {
  const Model& model = *replica.model;
  const ObjectId from = transfer_id(worker.layout.run, request.canonical);
  const auto mapping = worker.store->get(from, kMapTimeout);
  const auto canonical = mapping->floats().first(total_size(model.info().tensors));
  write_transfer(*worker.store, transfer_id(worker.layout.run, request.flat), model.info().size,
                 [&](std::span<float> flat) { model.from_canonical(canonical, flat); });
  worker.store->release(from);
}

}  // namespace troupe
