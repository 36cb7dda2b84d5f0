#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/measures.hpp"

namespace troupe {

struct Evaluated {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> correct;
  std::vector<std::int64_t> samples;
  std::vector<std::string> metrics;  ///< ModelInfo::metrics
  // The shape of the additional measurements (see MeasureShape), and their size in bytes. The driver then requests the
  // measurements themselves with `ExportTexts`.
  std::int64_t classes = 0;
  std::int64_t targets = 0;
  bool top_k = false;
  std::uint64_t measure_bytes = 0;

  MeasureShape shape() const { return {classes, targets, std::ssize(metrics), top_k}; }
};
template <class F>
auto fields(Evaluated& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.correct), at_most<Bound::shards>(x.samples), at_most<Bound::metrics>(x.metrics),
               x.classes, x.targets, x.top_k, x.measure_bytes);
}

/// A request to a worker: evaluate the model with the weights in `buffer`, on the worker's shards of a data set.
struct Evaluate {
  using Reply = Evaluated;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
  std::int64_t step = 0;
  std::int32_t set = 0;  ///< EvaluationSet
  bool confusion = false;
  std::int32_t top_k = 0;
  bool errors = false;

  EvaluationOptions measure() const { return {confusion, top_k, errors}; }
};
template <class F>
auto fields(Evaluate& x, F visit) {
  return visit(x.round, x.buffer, x.step, x.set, x.confusion, x.top_k, x.errors);
}

}  // namespace troupe
