#include "cli/report/report_page.hpp"

#include <algorithm>
#include <cmath>

#include "cli/html/charts.hpp"
#include "cli/html/tables.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

using EvaluationMember = std::optional<RecordedEvaluation> RecordedEpoch::*;

/// Of more marks a chart would be nothing else.
constexpr std::size_t kMostMarks = 100;

std::vector<PlottedMark> marks_of(const RunRecord& run) {
  std::vector<PlottedMark> marks;
  for (std::size_t i = 0; i < std::min(run.repairs.size(), kMostMarks); ++i)
    marks.push_back({static_cast<double>(run.repairs[i].step), run.repairs[i].what});
  return marks;
}

/// The least and the most of each stretch of steps.
PlottedLine extremes_of(const RunRecord& run, StepNumber which, const char* name) {
  PlottedLine line{.name = name, .points = {}};
  for (const auto& stretch : run.numbers.stretches()) {
    line.points.emplace_back(stretch.first, stretch.least[which]);
    if (stretch.count > 1) line.points.emplace_back(stretch.last, stretch.most[which]);
  }
  return line;
}

PlottedLine means_of(const RunRecord& run, StepNumber which, const char* name, double factor) {
  PlottedLine line{.name = name, .points = {}};
  for (const auto& stretch : run.numbers.stretches())
    line.points.emplace_back((stretch.first + stretch.last) / 2,
                             stretch.sum[which] / static_cast<double>(stretch.count) * factor);
  return line;
}

template <class Number>
PlottedLine over_epochs(const RunRecord& run, const char* name, const Number& number) {
  PlottedLine line{.name = name, .points = {}, .dots = run.epochs.size() <= kMostMarks};
  for (const RecordedEpoch& epoch : run.epochs)
    line.points.emplace_back(static_cast<double>(epoch.epoch), number(epoch));
  return line;
}

PlottedLine evaluations_of(const RunRecord& run, const char* name, EvaluationMember set,
                           double RecordedEvaluation::*number) {
  PlottedLine line{.name = name, .points = {}, .dots = run.epochs.size() <= kMostMarks};
  for (const RecordedEpoch& epoch : run.epochs)
    if (const auto& evaluation = epoch.*set)
      line.points.emplace_back(static_cast<double>(epoch.epoch), (*evaluation).*number);
  return line;
}

void drop_empty(std::vector<PlottedLine>& lines) {
  std::erase_if(lines, [](const PlottedLine& line) { return line.points.empty(); });
}

void add_steps(Page& page, const RunRecord& run) {
  const auto marks = marks_of(run);
  page.section("Steps");
  if (run.numbers.stretches().empty()) return page.note("No step has finite numbers.");
  const std::vector<PlottedLine> loss{extremes_of(run, kStepLoss, "loss")};
  page.add(line_chart({"Loss of each step", "step", "loss"}, loss, marks));
  const std::vector<PlottedLine> phases{
      means_of(run, kStepCompute, "compute gradients", 1e3), means_of(run, kStepReduce, "reduce", 1e3),
      means_of(run, kStepApply, "apply", 1e3), means_of(run, kStepOther, "the rest of the step", 1e3)};
  page.add(stacked_chart({"Time of each phase", "step", "milliseconds"}, phases, marks));
  const std::vector<PlottedLine> rate{means_of(run, kStepRate, "rate", 1)};
  page.add(line_chart({"Rate", "step", "samples a second"}, rate, marks));
  if (run.numbers.stretches().back().count > 1)
    page.note("Of " + grouped(run.steps) + " steps charts show stretches of up to " +
              grouped(run.numbers.stretches().front().count) +
              ": of the loss the least and the most, of the others the mean.");
}

void add_epochs(Page& page, const RunRecord& run) {
  if (run.epochs.empty()) return;
  constexpr Plot::Size kHalf{.width = 520, .height = 240};
  page.section("Epochs");
  if (run.epochs.size() == RunRecord::kMostEpochs) page.note("The last " + grouped(RunRecord::kMostEpochs) + ".");
  std::vector<PlottedLine> losses{
      over_epochs(run, "training", [](const auto& epoch) { return epoch.loss; }),
      evaluations_of(run, "test", &RecordedEpoch::test, &RecordedEvaluation::loss),
      evaluations_of(run, "validation", &RecordedEpoch::validation, &RecordedEvaluation::loss)};
  std::vector<PlottedLine> accuracies{
      evaluations_of(run, "test", &RecordedEpoch::test, &RecordedEvaluation::accuracy),
      evaluations_of(run, "validation", &RecordedEpoch::validation, &RecordedEvaluation::accuracy)};
  drop_empty(losses);
  drop_empty(accuracies);
  page.begin_row();
  page.add(line_chart({"Loss", "epoch", "loss"}, losses, {}, kHalf));
  if (!accuracies.empty()) page.add(line_chart({"Accuracy", "epoch", "accuracy"}, accuracies, {}, kHalf));
  const std::vector<PlottedLine> rates{
      over_epochs(run, "learning rate", [](const auto& epoch) { return epoch.learning_rate; })};
  page.add(line_chart({"Learning rate", "epoch", "learning rate"}, rates, {}, kHalf));
  page.end_row();
}

void add_epoch_table(Page& page, const RunRecord& run) {
  if (run.epochs.empty()) return;
  const std::size_t first = run.epochs.size() - std::min(run.epochs.size(), kMostMarks);
  std::vector<std::vector<std::string>> rows;
  const auto pair = [](const std::optional<RecordedEvaluation>& evaluation, double RecordedEvaluation::*number) {
    return evaluation ? short_number((*evaluation).*number) : std::string();
  };
  for (std::size_t i = first; i < run.epochs.size(); ++i) {
    const RecordedEpoch& epoch = run.epochs[i];
    rows.push_back({std::to_string(epoch.epoch), short_number(epoch.loss), pair(epoch.test, &RecordedEvaluation::loss),
                    pair(epoch.test, &RecordedEvaluation::accuracy), pair(epoch.validation, &RecordedEvaluation::loss),
                    pair(epoch.validation, &RecordedEvaluation::accuracy), short_number(epoch.learning_rate),
                    short_number(epoch.rate)});
  }
  page.add(table({"epoch", "loss", "test loss", "test accuracy", "validation loss", "validation accuracy",
                  "learning rate", "samples a second"},
                 rows));
  if (first > 0) page.note("The last " + std::to_string(kMostMarks) + " of " + std::to_string(run.epochs.size()) + ".");
}

void add_repairs(Page& page, const RunRecord& run) {
  if (run.repairs.empty()) return;
  page.section("Repairs", "Workers that were lost and replaced: dashed lines in the charts of steps.");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(run.repairs.size(), kMostMarks); ++i) rows.push_back({run.repairs[i].what});
  page.add(table({"what happened"}, rows));
  if (std::cmp_less(rows.size(), run.num_repairs))
    page.note("The first " + std::to_string(rows.size()) + " of " + grouped(run.num_repairs) + ".");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> facts_of(const RunRecord& run) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"steps", grouped(run.steps) + (run.first_step > 1 ? ", from " + grouped(run.first_step) : "")},
      {"samples", grouped(run.samples)},
      {"time", short_number(run.seconds) + " s of steps"},
      {"rate",
       short_number(run.seconds > 0 ? static_cast<double>(run.samples) / run.seconds : 0) + " samples a second"},
      {"last loss", short_number(run.last_loss)}};
  const auto add_best = [&](const char* name, EvaluationMember set) {
    const RecordedEpoch* best = nullptr;
    for (const RecordedEpoch& epoch : run.epochs)
      if (epoch.*set && (best == nullptr || (epoch.*set)->accuracy > (best->*set)->accuracy)) best = &epoch;
    if (best != nullptr && (best->*set)->accuracy > 0)
      facts.emplace_back(name, short_number((best->*set)->accuracy) + " after epoch " + std::to_string(best->epoch));
  };
  if (!run.epochs.empty()) facts.emplace_back("epochs", grouped(run.epochs.back().epoch));
  add_best("best test accuracy", &RecordedEpoch::test);
  add_best("best validation accuracy", &RecordedEpoch::validation);
  facts.emplace_back("strategy",
                     run.strategy + ", " + run.precision + (run.algorithm.empty() ? "" : ", ") + run.algorithm);
  facts.emplace_back("repairs", grouped(run.num_repairs));
  return facts;
}

Page report_page(const std::string& report, const RunRecord& run) {
  Page page("Run: " + shortened(report, 80),
            run.cut_off ? "The report's last line is not whole, and is left out." : "As its report tells of it.");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, text] : facts_of(run)) rows.push_back({name, text});
  page.add(table({"", ""}, rows));
  add_epochs(page, run);
  add_epoch_table(page, run);
  add_steps(page, run);
  add_repairs(page, run);
  return page;
}

}  // namespace troupe::cli
