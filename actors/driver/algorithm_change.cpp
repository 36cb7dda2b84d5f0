#include "actors/driver/algorithm_change.hpp"

#include <utility>

namespace troupe {
namespace {

/// Makes `next` the algorithm of the run, and returns the previous algorithm; see the constructor of AlgorithmChange.
std::unique_ptr<AlgorithmRunner> begin_algorithm(Run& run, std::unique_ptr<AlgorithmRunner> next) {
  run.finish_checkpoint();
  if (next->has_servers() != run.algorithm->has_servers()) run.formed->generation().fall();
  auto before = run.algorithm.exchange(std::move(next));
  run.preparation.follow_algorithm(run.formed->members());
  const StateDescription state = run.preparation.state();
  // L-BFGS always starts without pairs.
  if (run.formed->generation().reshape(state.shape, state.outer) || state.shape.singles > 0)
    run.versions.commit(run.versions.buffer(), {run.versions.committed().step, 0});
  return before;
}

}  // namespace

AlgorithmChange::AlgorithmChange(Run& run, std::unique_ptr<AlgorithmRunner> next)
    : run_(run),
      shape_(run.formed->generation().layout()),
      version_(run.versions.committed()),
      before_(begin_algorithm(run, std::move(next))) {}

std::unique_ptr<AlgorithmRunner> AlgorithmChange::undo() {
  auto failed = begin_algorithm(run_, std::move(before_));
  // The old state still exists, unless a generation with the other algorithm's shape has begun.
  if (static_cast<const StateShape&>(run_.formed->generation().layout()) == shape_)
    run_.versions.commit(run_.versions.buffer(), version_);
  else
    run_.algorithm->forget();
  return failed;
}

void await_warm_start(Run& run, std::unique_ptr<AlgorithmRunner> next) {
  run.algorithm.await(std::move(next));
  run.preparation.follow_algorithm(run.formed->members());
}

void end_warm_start(Run& run, Copies& copies) {
  if (!run.algorithm.warm_start_is_over(run.versions.committed().step)) return;
  run.finish_checkpoint();  // with members that work for the warm start
  begin_algorithm(run, run.algorithm.take_awaited());
  copies.give_up();
}

}  // namespace troupe
