#include <optional>

#include "actors/worker/duties.hpp"

namespace troupe {

void work(WorkerState& worker, Replica& replica, const Evaluate& request) {
  if (request.set < 0 || request.set > static_cast<int>(EvaluationSet::validation))
    throw Error(ErrorCode::protocol, "an evaluation of a set that there is not");
  const auto set = static_cast<EvaluationSet>(request.set);
  std::optional<Turns::Turn> turn;
  if (!replica.model->info().lightweight) turn.emplace(*worker.turns);
  const auto weights = worker.slabs->weights(request.buffer);
  const auto& shards = replica.own.shards;
  for (std::size_t i = 0; i < shards.size(); ++i)
    replica.evaluated[i] =
        replica.model->evaluate({shards[i], worker.layout.num_shards, request.step, worker.seed, set}, weights);
}

void answer(WorkerState& worker, const Evaluate& /*request*/, Evaluated& evaluated) {
  for (const auto& replica : worker.replicas)
    for (std::size_t i = 0; i < replica->evaluated.size(); ++i) {
      evaluated.shards.push_back(replica->own.shards[i]);
      evaluated.loss_bits.push_back(to_bits(replica->evaluated[i].loss_sum));
      evaluated.correct.push_back(replica->evaluated[i].correct);
      evaluated.samples.push_back(replica->evaluated[i].samples);
    }
}

}  // namespace troupe
