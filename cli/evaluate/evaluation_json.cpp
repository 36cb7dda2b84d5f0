#include "cli/evaluate/evaluation_json.hpp"

#include <algorithm>
#include <vector>

namespace troupe::cli {
namespace {

using nlohmann::ordered_json;

ordered_json class_json(const ClassMetrics& metrics) {
  return {
      {"precision", metrics.precision}, {"recall", metrics.recall}, {"f1", metrics.f1}, {"support", metrics.support}};
}

ordered_json target_json(const TargetMetrics& metrics) {
  return {{"mse", metrics.mse}, {"mae", metrics.mae}, {"r2", metrics.r2}};
}

void add_classes(const Evaluation& evaluation, ordered_json& object) {
  object["macro"] = class_json(evaluation.macro);
  const auto side = static_cast<std::ptrdiff_t>(evaluation.classes.size());
  for (std::ptrdiff_t i = 0; i < side; ++i) {
    const auto number = static_cast<std::size_t>(i);
    ordered_json line{{"class", i}};
    if (!evaluation.class_names.empty()) line["name"] = evaluation.class_names[number];
    line.update(class_json(evaluation.classes[number]));
    object["classes"].push_back(std::move(line));
    const auto row = evaluation.confusion.begin() + i * side;
    object["confusion"].push_back(std::vector<std::int64_t>(row, row + side));
  }
}

}  // namespace

ordered_json evaluation_json(const Evaluation& evaluation) {
  ordered_json object{{"loss", evaluation.loss}, {"accuracy", evaluation.accuracy}, {"samples", evaluation.samples}};
  if (const auto perplexity = evaluation.perplexity()) {
    object["unit"] = evaluation.unit;
    object["perplexity"] = *perplexity;
  }
  if (evaluation.top_k_accuracy) {
    object["top_k"] = evaluation.top_k;
    object["top_k_accuracy"] = *evaluation.top_k_accuracy;
  }
  for (const NamedMetric& metric : evaluation.metrics) object["metrics"][metric.name] = metric.value;
  if (!evaluation.classes.empty()) add_classes(evaluation, object);
  if (!evaluation.targets.empty()) object["all_targets"] = target_json(evaluation.all_targets);
  for (std::size_t i = 0; i < evaluation.targets.size(); ++i) {
    ordered_json line = ordered_json::object();
    if (!evaluation.target_names.empty()) line["name"] = evaluation.target_names[i];
    line.update(target_json(evaluation.targets[i]));
    object["targets"].push_back(std::move(line));
  }
  return object;
}

}  // namespace troupe::cli
