#include <utility>

#include "actors/driver/driver.hpp"
#include "actors/driver/gathered_evaluation.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "models/files/network_text.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// What the model's own text of its network says of its data; of classes and targets nothing where it does not.
DataInfo data_told_by(const std::string& network) {
  if (network.empty()) return {};
  try {
    return network_from_json("", network).data;
  } catch (const Error&) {
    return {};
  }
}

/// So many of them, or none; where nothing was counted, all.
std::vector<std::string> names_for(std::size_t count, std::vector<std::string> names) {
  return count == 0 || names.size() == count ? std::move(names) : std::vector<std::string>();
}

}  // namespace

Evaluation Driver::evaluate(EvaluationSet set, const EvaluationOptions& measure) {
  if (measure.top_k < 0) throw_invalid("EvaluationOptions::top_k is " + std::to_string(measure.top_k));
  Evaluation evaluation = repairing(Needs::members, [&] { return evaluate_once(set, measure); });
  const std::string name = set == EvaluationSet::test ? "test" : "validation";
  if (evaluation.samples == 0)
    throw Error(ErrorCode::bad_data,
                "there is no " + name +
                    " set to evaluate, or no sample of it that can be read: give the data one (TrainingData::" + name +
                    "), or a model of your own Model::evaluate",
                {.phase = "evaluate"});
  const DataInfo data = data_told_by(model_->network);
  evaluation.class_names = names_for(evaluation.classes.size(), data.class_names);
  evaluation.target_names = names_for(evaluation.targets.size(), data.target_names);
  return evaluation;
}

Evaluation Driver::evaluate_once(EvaluationSet set, const EvaluationOptions& measure) {
  const Phase at = phase("evaluate", options_.timeouts.evaluate);
  const Members& members = run_->members();
  GatheredEvaluation gathered(options_.num_shards);
  const Evaluate request{0,
                         versions_.buffer(),
                         versions_.committed().step,
                         static_cast<std::int32_t>(set),
                         measure.confusion,
                         measure.top_k,
                         measure.errors};
  for (const auto& [worker, reply] : run_->rounds().ask(request, members.workers(), at)) {
    const Where where = run_->rounds().where(worker, at);
    check_reply(reply, members.shards_of(worker), measure, where);
    gathered.add(reply, run_->transfers().fetch_texts(worker, {reply.measure_bytes}, at).front(), where);
  }
  return gathered.evaluation(measure);
}

}  // namespace troupe
