#include "cli/train/run/evaluations.hpp"

namespace troupe::cli {

const std::optional<Evaluation>& Evaluations::of(EvaluationSet set) {
  Measured& measured = measured_.at(static_cast<std::size_t>(set));
  if (measured.step == sgd_.steps_done()) return measured.evaluation;
  measured.evaluation.reset();
  try {
    measured.evaluation = measure(set);
    measured.is_there = true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_data || error.where().worker >= 0 || measured.is_there) throw;
  }
  measured.step = sgd_.steps_done();
  return measured.evaluation;
}

Evaluation Evaluations::measure(EvaluationSet set) try {
  return sgd_.evaluate(set, {.errors = true});
} catch (const Error& error) {
  if (error.code() != ErrorCode::unsupported) throw;
  return sgd_.evaluate(set);
}

}  // namespace troupe::cli
