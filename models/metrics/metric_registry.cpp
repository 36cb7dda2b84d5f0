#include "models/metrics/metric_registry.hpp"

#include <utility>
#include <vector>

#include "runtime/registry.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using Metrics = Registry<Metric::Value>;

double brier_score(std::span<const float> outputs, const Target& target) {
  if (target.label < 0 || target.label >= std::ssize(outputs))
    throw Error(ErrorCode::bad_data,
                "metric brier-score needs data with classes and a network with one output per class");
  std::vector<float> probabilities(outputs.begin(), outputs.end());
  losses::softmax_cross_entropy()->to_probabilities(probabilities);
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double off = probabilities[i] - (static_cast<std::int32_t>(i) == target.label ? 1.0 : 0.0);
    sum += off * off;
  }
  return sum;
}

Metrics* with_builtin_metrics() {
  auto* const known = new Metrics("metric");
  known->add("brier-score", brier_score);
  return known;
}

Metrics& known_metrics() {
  static Metrics& registered = *with_builtin_metrics();  // never destroyed, because threads of abandoned replicas may
                                                         // use it after main has returned
  return registered;
}

}  // namespace

void register_metric(Metric metric) { known_metrics().add(metric.name, std::move(metric.value)); }

Metric find_metric(const std::string& name) { return {name, known_metrics().find(name)}; }

}  // namespace troupe
