#include "cli/evaluate/scores.hpp"

#include <cstdio>

namespace troupe::cli {

bool has_squares(const Evaluation& evaluation) { return !evaluation.targets.empty() && evaluation.accuracy == 0; }

std::string score_text(const char* set, const Evaluation& evaluation) {
  const bool squares = has_squares(evaluation);
  char text[64];
  std::snprintf(text, sizeof text, "%s %s %.4f", set, squares ? "R2" : "accuracy",
                squares ? evaluation.all_targets.r2 : evaluation.accuracy);
  return text;
}

void print_evaluation(const char* set, const Evaluation& evaluation) {
  std::printf("%s loss %.6f\n%s\n", set, evaluation.loss, score_text(set, evaluation).c_str());
  if (const auto perplexity = evaluation.perplexity()) std::printf("%s perplexity %.4f\n", set, *perplexity);
  for (const NamedMetric& metric : evaluation.metrics)
    std::printf("%s %s %.6g\n", set, metric.name.c_str(), metric.value);
}

}  // namespace troupe::cli
