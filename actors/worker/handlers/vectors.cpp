#include "actors/worker/handlers/handlers.hpp"
#include "actors/worker/handlers/transfer_object.hpp"
#include "models/converts_parts.hpp"
#include "runtime/store/checked_part.hpp"

// Handlers that convert vectors of the state between the model's memory layout and canonical order. The driver needs
// workers for this, because only a model knows its own layout.
namespace troupe {
namespace {

class InitializeHandler final : public FirstReplicaHandler<Initialize> {
 public:
  void work(WorkerState& worker, Replica& replica, const Initialize& request) const override {
    Model& model = *replica.model;
    write_transfer(*worker.store, transfer_id(worker.layout.run, request.flat), model.info().size,
                   [&](std::span<float> flat) { model.initialize(flat, worker.seed); });
  }
};

class ExportVectorHandler final : public FirstReplicaHandler<ExportVector> {
 public:
  void work(WorkerState& worker, Replica& replica, const ExportVector& request) const override {
    const Model& model = *replica.model;
    const auto vector = worker.slabs->map_vector(request.vector, request.buffer, kMapTimeout);
    const auto flat = checked_first(vector->floats(), model.info().size);
    const std::size_t all = total_size(model.info().tensors);
    if (request.floats == 0 || request.begin > all || request.floats > all - request.begin)
      throw Error(ErrorCode::protocol, "the part is out of the vector's range");
    write_transfer(*worker.store, transfer_id(worker.layout.run, request.canonical), request.floats,
                   [&](std::span<float> part) {
                     if (part.size() == all) return model.to_canonical(flat, part);
                     dynamic_cast<const ConvertsParts&>(model).part_to_canonical(flat, request.begin, part);
                   });
  }
};

class ImportVectorHandler final : public FirstReplicaHandler<ImportVector> {
 public:
  void work(WorkerState& worker, Replica& replica, const ImportVector& request) const override {
    const Model& model = *replica.model;
    const ObjectId from = transfer_id(worker.layout.run, request.canonical);
    const auto mapping = worker.store->get(from, kPublished);
    const auto canonical = checked_first(mapping->floats(), total_size(model.info().tensors));
    write_transfer(*worker.store, transfer_id(worker.layout.run, request.flat), model.info().size,
                   [&](std::span<float> flat) { model.from_canonical(canonical, flat); });
    worker.store->release(from);
  }
};

}  // namespace

const Handler<Initialize>& handler_of(const Initialize* /*kind*/) { return the<InitializeHandler>(); }
const Handler<ExportVector>& handler_of(const ExportVector* /*kind*/) { return the<ExportVectorHandler>(); }
const Handler<ImportVector>& handler_of(const ImportVector* /*kind*/) { return the<ImportVectorHandler>(); }

}  // namespace troupe
