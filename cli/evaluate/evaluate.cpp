#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/evaluate/evaluation_json.hpp"
#include "cli/evaluate/evaluation_table.hpp"
#include "cli/evaluate/scores.hpp"
#include "cli/run_options.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"

namespace troupe::cli {
namespace {

/// The default K of top-K accuracy. If the data has at most this many classes, top-K accuracy is reported only if the
/// user requests it.
constexpr int kUsualTopK = 5;

struct EvaluateOptions {
  CommandOptions run;
  std::string set = "test";
  int top_k = 0;  ///< 0: kUsualTopK
  bool json = false;
};

/// Evaluates a set with all metrics, and returns the evaluation. If the data has too many classes or targets for some
/// metrics, leaves out these metrics.
Evaluation measure(DistributedSGD& sgd, EvaluationSet set, int top_k) {
  if (sgd.report().unit == "tokens") return sgd.evaluate(set, {.top_k = top_k});
  try {
    return sgd.evaluate(set, {.confusion = true, .top_k = top_k, .errors = true});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    log_line(LogLevel::warning, std::string("without metrics of classes and targets: ") + error.what());
  }
  return sgd.evaluate(set, {.top_k = top_k});
}

void print_details(const Evaluation& evaluation, const std::string& set) {
  if (evaluation.top_k_accuracy)
    std::printf("%s top-%d accuracy %.4f\n", set.c_str(), evaluation.top_k, *evaluation.top_k_accuracy);
  if (!evaluation.classes.empty())
    std::printf("\n%s\n%s", class_table(evaluation).c_str(), confusion_table(evaluation).c_str());
  if (!evaluation.targets.empty()) std::printf("\n%s", target_table(evaluation).c_str());
}

void run(const EvaluateOptions& options) {
  const bool validation = options.set == "validation";
  if (validation && !options.run.validates()) throw_invalid("--set validation needs --validate");
  DistributedSGD sgd = options.run.start();
  Evaluation evaluation = measure(sgd, validation ? EvaluationSet::validation : EvaluationSet::test,
                                  options.top_k == 0 ? kUsualTopK : options.top_k);
  const bool few = !evaluation.classes.empty() && evaluation.classes.size() <= kUsualTopK;
  if (options.top_k == 0 && few) evaluation.top_k_accuracy.reset();
  if (options.json) {
    using nlohmann::json;
    nlohmann::ordered_json line{{"set", options.set}};
    line.update(evaluation_json(evaluation));
    std::printf("%s\n", line.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace).c_str());
    return;
  }
  print_evaluation(options.set.c_str(), evaluation);
  print_details(evaluation, options.set);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App& evaluate = *app.add_subcommand("evaluate", "Measure saved weights on a test or validation set");
  options->run.add_to(evaluate);
  options->run.hide_training(evaluate);
  options->run.measures = true;
  evaluate.get_option("--load")->required();
  evaluate.add_option("--set", options->set, "test, or validation (the set of --validate)")
      ->check(one_of({"test", "validation"}));
  evaluate
      .add_option("--top-k", options->top_k,
                  "Accuracy among this many largest outputs; default: 5 for data with more than 5 classes")
      ->default_str("")
      ->check(CLI::Range(1, 1'000'000));
  evaluate.add_flag("--json", options->json, "Print one JSON object");
  evaluate.callback([options] { run(*options); });
}

}  // namespace troupe::cli
