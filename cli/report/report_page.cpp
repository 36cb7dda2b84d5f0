#include "cli/report/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/html/charts.hpp"
#include "cli/html/tables.hpp"
#include "cli/html/text.hpp"

namespace troupe::cli {
namespace {

using EvaluationMember = std::optional<RecordedEvaluation> RecordedEpoch::*;

/// Maximum number of marks (events) in a chart. More marks would hide the lines of the chart.
constexpr std::size_t kMostMarks = 100;
constexpr std::size_t kMostDots = 30;
constexpr std::size_t kMostEpochRows = 100;

std::vector<PlottedMark> marks_of(const RunRecord& run) {
  std::vector<PlottedMark> marks;
  for (std::size_t i = 0; i < std::min(run.repairs.size(), kMostMarks); ++i)
    marks.push_back({static_cast<double>(run.repairs[i].step), run.repairs[i].what});
  return marks;
}

/// Returns a line for a chart over steps. The line goes through the minimum and the maximum of a number in each stretch
/// of steps.
/// @param which index of the number, such as kStepLoss
/// @param name name of the line
PlottedLine extremes_of(const RunRecord& run, std::size_t which, const char* name) {
  PlottedLine line{.name = name, .points = {}};
  for (const auto& stretch : run.numbers.stretches()) {
    line.points.emplace_back(stretch.first, stretch.least[which]);
    if (stretch.count > 1) line.points.emplace_back(stretch.last, stretch.most[which]);
  }
  return line;
}

/// Returns the number of stretches of steps that are combined to one point of a chart of means. It is chosen so that
/// the chart has at most 200 points, because more points would show only noise.
std::size_t stretches_as_one(const RunRecord& run) {
  constexpr std::size_t kMostMeans = 200;
  return (run.numbers.stretches().size() + kMostMeans - 1) / kMostMeans;
}

PlottedLine means_of(const RunRecord& run, std::size_t which, const char* name, double factor) {
  PlottedLine line{.name = name, .points = {}};
  const std::span all(run.numbers.stretches());
  for (std::size_t first = 0; first < all.size(); first += stretches_as_one(run)) {
    const auto some = all.subspan(first, std::min(stretches_as_one(run), all.size() - first));
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& stretch : some) {
      sum += stretch.sum[which];
      count += stretch.count;
    }
    line.points.emplace_back((some.front().first + some.back().last) / 2, sum / static_cast<double>(count) * factor);
  }
  return line;
}

template <class Number>
PlottedLine over_epochs(const RunRecord& run, const char* name, const Number& number) {
  PlottedLine line{.name = name, .points = {}, .dots = run.epochs.size() <= kMostDots};
  for (const RecordedEpoch& epoch : run.epochs)
    if (const double value = number(epoch); !std::isnan(value))
      line.points.emplace_back(static_cast<double>(epoch.epoch), value);
  return line;
}

/// Returns a line for a chart over steps. The line goes through the results of the evaluations of `set` between epochs.
/// @param number the result: &RecordedEvaluation::loss or &RecordedEvaluation::accuracy
PlottedLine over_measures(const RunRecord& run, const std::string& set, double RecordedEvaluation::*number) {
  PlottedLine line{.name = set, .points = {}, .dots = run.between_epochs.size() <= kMostDots};
  for (const RecordedMeasure& each : run.between_epochs)
    if (each.set == set) line.points.emplace_back(static_cast<double>(each.step), each.evaluation.*number);
  return line;
}

PlottedLine evaluations_of(const RunRecord& run, const char* name, EvaluationMember set,
                           double RecordedEvaluation::*number) {
  PlottedLine line{.name = name, .points = {}, .dots = run.epochs.size() <= kMostDots};
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
  const bool thinned = run.numbers.stretches().front().count > 1;
  const bool means = thinned || stretches_as_one(run) > 1;
  std::vector<PlottedLine> loss{extremes_of(run, kStepLoss, thinned ? "minimum and maximum" : "each step")};
  if (means) loss.push_back(means_of(run, kStepLoss, "mean", 1));
  page.add(line_chart({"Loss of each step", "step", "loss"}, loss, marks));
  const std::vector<PlottedLine> phases{
      means_of(run, kStepCompute, "compute gradients", 1e3), means_of(run, kStepReduce, "reduce", 1e3),
      means_of(run, kStepApply, "apply", 1e3), means_of(run, kStepOther, "the rest of the step", 1e3)};
  page.add(
      stacked_chart({means ? "Mean time of each phase" : "Time of each phase", "step", "milliseconds"}, phases, marks));
  const std::vector<PlottedLine> rate{means_of(run, kStepRate, "rate", 1)};
  page.add(line_chart({means ? "Mean rate" : "Rate", "step", run.unit + " per second"}, rate, marks));
  const std::int64_t length = run.numbers.stretches().front().count;
  if (thinned)
    page.note("For " + grouped(run.steps) + " steps, the chart of the loss shows the minimum and maximum of each " +
              grouped(length) + ".");
  if (means)
    page.note("Each mean is over " + grouped(length * static_cast<std::int64_t>(stretches_as_one(run))) + " steps.");
}

void add_epochs(Page& page, const RunRecord& run) {
  if (run.epochs.empty()) return;
  constexpr Plot::Size kSmall{.width = 340, .height = 220};
  page.section("Epochs");
  if (run.epochs.size() == RunRecord::kMostEpochs) page.note("Only the last " + grouped(RunRecord::kMostEpochs) + ".");
  std::vector<PlottedLine> losses{
      over_epochs(run, "training", [](const auto& epoch) { return epoch.loss; }),
      evaluations_of(run, "test", &RecordedEpoch::test, &RecordedEvaluation::loss),
      evaluations_of(run, "validation", &RecordedEpoch::validation, &RecordedEvaluation::loss)};
  std::vector<PlottedLine> accuracies{
      over_epochs(run, "training", [](const auto& epoch) { return epoch.accuracy; }),
      evaluations_of(run, "test", &RecordedEpoch::test, &RecordedEvaluation::accuracy),
      evaluations_of(run, "validation", &RecordedEpoch::validation, &RecordedEvaluation::accuracy)};
  drop_empty(losses);
  drop_empty(accuracies);
  page.begin_row();
  page.add(line_chart({"Loss", "epoch", "loss"}, losses, {}, kSmall));
  if (!accuracies.empty()) page.add(line_chart({"Accuracy", "epoch", "accuracy"}, accuracies, {}, kSmall));
  const std::vector<PlottedLine> rates{
      over_epochs(run, "learning rate", [](const auto& epoch) { return epoch.learning_rate; })};
  page.add(line_chart({"Learning rate", "epoch", "learning rate"}, rates, {}, kSmall));
  page.end_row();
}

void add_measures(Page& page, const RunRecord& run) {
  if (run.between_epochs.empty()) return;
  constexpr Plot::Size kSmall{.width = 340, .height = 220};
  page.section("Evaluations between epochs");
  const auto lines = [&](double RecordedEvaluation::*number) {
    std::vector<PlottedLine> both{over_measures(run, "test", number), over_measures(run, "validation", number)};
    drop_empty(both);
    return both;
  };
  page.begin_row();
  page.add(line_chart({"Loss", "step", "loss"}, lines(&RecordedEvaluation::loss), {}, kSmall));
  page.add(line_chart({"Accuracy", "step", "accuracy"}, lines(&RecordedEvaluation::accuracy), {}, kSmall));
  page.end_row();
}

void add_epoch_table(Page& page, const RunRecord& run) {
  if (run.epochs.empty()) return;
  page.section("Epochs in numbers");
  const std::size_t first = run.epochs.size() - std::min(run.epochs.size(), kMostEpochRows);
  std::vector<std::string> headings{"epoch", "loss"};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = first; i < run.epochs.size(); ++i)
    rows.push_back({std::to_string(run.epochs[i].epoch), short_number(run.epochs[i].loss)});
  const auto add = [&](const std::string& heading, const auto& text_of_epoch) {
    headings.push_back(heading);
    for (std::size_t i = first; i < run.epochs.size(); ++i) rows[i - first].push_back(text_of_epoch(run.epochs[i]));
  };
  const auto add_set = [&](const std::string& name, EvaluationMember set) {
    if (std::ranges::none_of(run.epochs, [&](const auto& epoch) { return (epoch.*set).has_value(); })) return;
    add(name + " loss", [&](const auto& epoch) { return epoch.*set ? short_number((epoch.*set)->loss) : ""; });
    add(name + " accuracy", [&](const auto& epoch) { return epoch.*set ? short_number((epoch.*set)->accuracy) : ""; });
  };
  add_set("test", &RecordedEpoch::test);
  add_set("validation", &RecordedEpoch::validation);
  add("learning rate", [](const auto& epoch) { return short_number(epoch.learning_rate); });
  add(run.unit + " per second", [](const auto& epoch) { return short_number(epoch.rate); });
  page.add(table(headings, rows));
  if (first > 0)
    page.note("Only the last " + std::to_string(kMostEpochRows) + " of " + std::to_string(run.epochs.size()) + ".");
}

void add_repairs(Page& page, const RunRecord& run) {
  if (run.repairs.empty()) return;
  page.section("Repairs", "Lost and replaced workers; dashed lines in the charts of steps.");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(run.repairs.size(), kMostMarks); ++i) rows.push_back({run.repairs[i].what});
  page.add(table({"what happened"}, rows));
  if (std::cmp_less(rows.size(), run.num_repairs))
    page.note("Only the first " + std::to_string(rows.size()) + " of " + grouped(run.num_repairs) + ".");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> facts_of(const RunRecord& run) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"steps", grouped(run.steps) + (run.first_step > 1 ? ", from " + grouped(run.first_step) : "")},
      {run.unit, grouped(run.samples)},
      {"time", short_number(run.seconds) + " s of steps"},
      {"rate", short_number(run.seconds > 0 ? static_cast<double>(run.samples) / run.seconds : 0) + " " + run.unit +
                   " per second"},
      {"last loss", short_number(run.last_loss)}};
  const auto add_best = [&](const std::string& set, EvaluationMember member) {
    double best = 0;
    std::string where;
    const auto take = [&](const RecordedEvaluation& evaluation, const char* after, std::int64_t number) {
      if (evaluation.accuracy <= best) return;
      best = evaluation.accuracy;
      where = after + std::to_string(number);
    };
    for (const RecordedEpoch& epoch : run.epochs)
      if (epoch.*member) take(*(epoch.*member), " after epoch ", epoch.epoch);
    for (const RecordedMeasure& each : run.between_epochs)
      if (each.set == set) take(each.evaluation, " after step ", each.step);
    if (best > 0) facts.emplace_back("best " + set + " accuracy", short_number(best) + where);
  };
  if (!run.epochs.empty()) facts.emplace_back("epochs", grouped(run.epochs.back().epoch));
  add_best("test", &RecordedEpoch::test);
  add_best("validation", &RecordedEpoch::validation);
  facts.emplace_back("strategy",
                     run.strategy + ", " + run.precision + (run.algorithm.empty() ? "" : ", ") + run.algorithm);
  const RecordedAlgorithm& did = run.did;
  if (did.local_steps > 0)
    facts.emplace_back("local SGD",
                       grouped(did.local_steps) + " steps per mean, last drift " + short_number(did.drift));
  if (did.evaluations > 0)
    facts.emplace_back("L-BFGS", grouped(did.evaluations) + " evaluations, " + grouped(did.portions) + " portions, " +
                                     grouped(did.backups) + " backups; objective " + short_number(did.objective) +
                                     ", largest gradient " + short_number(did.largest) +
                                     (did.end == "none" ? "" : ", " + did.end));
  if (const std::string slow = run.stragglers.text(); !slow.empty()) facts.emplace_back("straggler", slow);
  facts.emplace_back("repairs", grouped(run.num_repairs));
  return facts;
}

Page report_page(const std::string& report, const RunRecord& run) {
  Page page("Run: " + shortened(report, 80),
            run.cut_off ? "The report's last line is incomplete and is left out." : "");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, text] : facts_of(run)) rows.push_back({name, text});
  page.add(table({"", ""}, rows));
  add_epochs(page, run);
  add_measures(page, run);
  add_steps(page, run);
  add_repairs(page, run);
  add_epoch_table(page, run);
  return page;
}

}  // namespace troupe::cli
