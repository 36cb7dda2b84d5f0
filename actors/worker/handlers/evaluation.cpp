#include <iterator>
#include <optional>
#include <utility>

#include "actors/worker/handlers/handlers.hpp"

namespace troupe {
namespace {

/// Adds the confusion matrix of `from` to `to`, and clears it in `from`. Its counts are integers, so the order of
/// additions does not matter.
void move_counts(EvaluationResult& from, std::vector<std::int64_t>& to) {
  const std::vector<std::int64_t> counts = std::exchange(from.confusion, {});
  if (to.empty()) to.resize(counts.size());
  if (counts.empty()) return;
  if (counts.size() != to.size())
    throw Error(ErrorCode::model_failed, "an evaluation returns confusion matrices of different sizes");
  for (std::size_t i = 0; i < counts.size(); ++i) to[i] += counts[i];
}

/// Removes measurements from the result of `shard` that were not requested, and checks the rest. The confusion matrix
/// must be checked for each shard, because errors of two shards could cancel each other out in the sum.
void keep_asked(EvaluationResult& result, const EvaluationOptions& measure, int shard) {
  if (!measure.confusion) result.confusion.clear();
  if (measure.top_k == 0) result.top_k_correct.reset();
  if (!measure.errors) result.targets.clear();
  if (std::ssize(result.confusion) > kMostConfusionClasses * kMostConfusionClasses ||
      std::ssize(result.targets) > kMostErrorTargets)
    throw Error(ErrorCode::unsupported, "the model's evaluation has too many classes or targets");
  const bool countable = result.samples <= kMostMeasuredSamples && counts_each_once(result.confusion, result.samples);
  if (!result.confusion.empty() && !countable)
    throw Error(ErrorCode::model_failed,
                "its confusion matrix does not count each of " + std::to_string(result.samples) + " samples once",
                {.object = "shard " + std::to_string(shard)});
}

/// Moves the measurements out of all replicas of the worker, and returns them as one object.
Measures together(WorkerState& worker) {
  Measures all;
  for (const auto& replica : worker.replicas) {
    EvaluationResult counts;
    counts.confusion = std::exchange(replica->evaluated.confusion, {});
    move_counts(counts, all.confusion);
    std::ranges::move(replica->evaluated.shards, std::back_inserter(all.shards));
    replica->evaluated.shards.clear();
  }
  return all;
}

/// Writes the shape of `measures` into the reply, and keeps the measurements as a text for the request `ExportTexts`.
void measure(WorkerState& worker, const Measures& measures, Evaluated& evaluated) {
  evaluated.metrics = worker.replicas.front()->model->info().metrics;
  for (const auto& replica : worker.replicas)
    if (replica->model->info().metrics != evaluated.metrics)
      throw Error(ErrorCode::model_failed, "the replicas of a worker have metrics with different names");
  const MeasureShape shape = shape_of(measures, evaluated.metrics.size());
  if (!shape.any()) return;
  check_measures(measures, ErrorCode::model_failed, {});
  const std::size_t bytes = shape.bytes(measures.shards.size());
  if (bytes > kMostTextBytes)
    throw Error(ErrorCode::unsupported, "the measurements of the worker's shards take " + std::to_string(bytes) +
                                            " bytes; the limit is " + std::to_string(kMostTextBytes) + " bytes");
  evaluated.classes = shape.classes;
  evaluated.targets = shape.targets;
  evaluated.top_k = shape.top_k;
  evaluated.measure_bytes = bytes;
  worker.replicas.front()->text = to_text(shape, measures);
}

class EvaluateHandler final : public Handler<Evaluate> {
 public:
  void prepare(WorkerState& worker, const Evaluate& /*request*/) const override {
    for (const auto& replica : worker.replicas) {
      replica->text = {};
      replica->evaluated = {};
    }
  }
  void work(WorkerState& worker, Replica& replica, const Evaluate& request) const override {
    if (request.set < 0 || request.set > static_cast<int>(EvaluationSet::validation))
      throw Error(ErrorCode::protocol, "an evaluation of an unknown set");
    const auto set = static_cast<EvaluationSet>(request.set);
    const Turn turn = worker.turn_of(replica);
    const auto weights = worker.slabs->weights(request.buffer);
    const WeightsVersion version = WeightsVersion::begin(weights);
    for (const int shard : replica.own.shards) {
      const ShardStep at{.shard = shard,
                         .num_shards = worker.layout.num_data_shards(),
                         .step = request.step,
                         .seed = worker.seed,
                         .set = set,
                         .measure = request.measure(),
                         .weights = version};
      EvaluationResult result = replica.model->evaluate(at, weights);
      keep_asked(result, request.measure(), shard);
      move_counts(result, replica.evaluated.confusion);
      replica.evaluated.shards.push_back(std::move(result));
    }
  }
  void answer(WorkerState& worker, const Evaluate& /*request*/, Evaluated& evaluated) const override {
    for (const auto& replica : worker.replicas)
      for (std::size_t i = 0; i < replica->evaluated.shards.size(); ++i) {
        evaluated.shards.push_back(replica->own.shards[i]);
        evaluated.loss_bits.push_back(to_bits(replica->evaluated.shards[i].loss_sum));
        evaluated.correct.push_back(replica->evaluated.shards[i].correct);
        evaluated.samples.push_back(replica->evaluated.shards[i].samples);
      }
    try {
      measure(worker, together(worker), evaluated);
    } catch (...) {
      evaluated.failure = Failure::from(std::current_exception(), ErrorCode::model_failed);
    }
  }
};

}  // namespace

const Handler<Evaluate>& handler_of(const Evaluate* /*kind*/) { return the<EvaluateHandler>(); }

}  // namespace troupe
