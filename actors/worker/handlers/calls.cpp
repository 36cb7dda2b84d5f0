#include <unistd.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "actors/functions/function_table.hpp"
#include "actors/messages/call_json.hpp"
#include "actors/worker/handlers/handlers.hpp"
#include "actors/worker/handlers/transfer_object.hpp"

// Handlers that call users' functions. A function's arguments are kept while the function runs. Its results are kept in
// the replicas until the driver fetches them.
namespace troupe {
namespace {

/// Frees the memory of `text`, the result of an earlier call. The driver may not have fetched it, if the call failed on
/// another worker.
void forget(std::string& text) { std::string().swap(text); }

/// Frees the results of earlier calls, and reads the function's arguments from the transfer object. All replicas use
/// the same arguments.
template <class Call>
void begin(WorkerState& worker, const Call& request) {
  for (const auto& replica : worker.replicas) forget(replica->text);
  worker.arguments = std::make_shared<const Json>();
  if (request.argument_bytes == 0 || !worker.slabs) return;
  const ObjectId id = transfer_id(worker.layout.run, request.argument);
  const auto mapping = worker.store->get(id, kPublished);
  if (request.argument_bytes > mapping->bytes())
    throw Error(ErrorCode::protocol, "the argument is longer than its transfer object");
  const std::string text(reinterpret_cast<const char*>(mapping->floats().data()), request.argument_bytes);
  worker.store->release(id);
  worker.arguments = std::make_shared<const Json>(call_json(text));
}

/// Writes the size of each replica's result into the reply. If all results together exceed kMostTextBytes bytes, writes
/// a failure into the reply.
/// @param replicas the number of replicas that have called the function
void end(WorkerState& worker, std::size_t replicas, Called& called) {
  worker.arguments.reset();
  for (std::size_t i = 0; i < replicas; ++i) called.text_bytes.push_back(worker.replicas[i]->text.size());
  const auto bytes = std::accumulate(called.text_bytes.begin(), called.text_bytes.end(), std::uint64_t{0});
  if (bytes <= kMostTextBytes) return;
  called.failure.code = static_cast<std::int32_t>(ErrorCode::invalid_argument);
  called.failure.message = "the function returned " + std::to_string(bytes) + " bytes on a worker; the limit is " +
                           std::to_string(kMostTextBytes) + " bytes";
}

class CallModelHandler final : public Handler<CallModel> {
 public:
  void prepare(WorkerState& worker, const CallModel& request) const override { begin(worker, request); }
  std::size_t replicas_for(const WorkerState& worker, const CallModel& request) const override {
    return request.first_replica_only ? 1 : worker.replicas.size();
  }
  void work(WorkerState& worker, Replica& replica, const CallModel& request) const override {
    const auto function = functions().of_models.find(request.name);
    const Json returned = function(*replica.model, worker.slabs->weights(request.buffer), *worker.arguments);
    replica.text = call_text(returned, "the function's result");
  }
  void answer(WorkerState& worker, const CallModel& request, Called& called) const override {
    end(worker, replicas_for(worker, request), called);
  }
};

class CallWorkerHandler final : public FirstReplicaHandler<CallWorker> {
 public:
  void prepare(WorkerState& worker, const CallWorker& request) const override { begin(worker, request); }
  void work(WorkerState& worker, Replica& replica, const CallWorker& request) const override {
    WorkerView view{worker.index, static_cast<int>(::getpid()), {}};
    for (const auto& each : worker.replicas) view.models.push_back(each->model.get());
    const Json returned = functions().of_workers.find(request.name)(view, *worker.arguments);
    replica.text = call_text(returned, "the function's result");
  }
  void answer(WorkerState& worker, const CallWorker& request, Called& called) const override {
    end(worker, replicas_for(worker, request), called);
  }
};

class ExportTextsHandler final : public FirstReplicaHandler<ExportTexts> {
 public:
  /// Writes the results of all replicas into the transfer object. All replicas are idle meanwhile, because the driver
  /// sends this request only after the reply to the call.
  void work(WorkerState& worker, Replica& /*replica*/, const ExportTexts& request) const override {
    std::string texts;
    for (const auto& each : worker.replicas) texts += std::exchange(each->text, {});
    const std::size_t floats = (texts.size() + sizeof(float) - 1) / sizeof(float);
    write_transfer(*worker.store, transfer_id(worker.layout.run, request.transfer), floats,
                   [&](std::span<float> written) { std::memcpy(written.data(), texts.data(), texts.size()); });
  }
};

}  // namespace

const Handler<CallModel>& handler_of(const CallModel* /*kind*/) { return the<CallModelHandler>(); }
const Handler<CallWorker>& handler_of(const CallWorker* /*kind*/) { return the<CallWorkerHandler>(); }
const Handler<ExportTexts>& handler_of(const ExportTexts* /*kind*/) { return the<ExportTextsHandler>(); }

}  // namespace troupe
