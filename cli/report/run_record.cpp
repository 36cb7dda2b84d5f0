#include "cli/report/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

using Line = nlohmann::json;

/// Maximum length, in bytes, of a line of a report. Even the line of a step with thousands of workers is much shorter.
constexpr std::size_t kLongestReportLine = std::size_t{16} << 20;

constexpr int kDeepestLine = 16;

/// Returns the number with the key `name` in `object`. Returns NaN if the value is null, because a run writes null for
/// a number that is infinite or NaN.
double number_of(const Line& object, const char* name) {
  const Line& member = object.at(name);
  return member.is_null() ? std::nan("") : member.get<double>();
}

/// Returns the count with the key `name` in `object`, which must be a whole number from 0 to 2^40.
/// @throws Error invalid_argument for other values, because their conversion or sum could overflow
std::int64_t count_of_line(const Line& object, const char* name) {
  constexpr std::int64_t kMostCounted = std::int64_t{1} << 40;
  const Line& member = object.at(name);
  if (!member.is_number_integer() || member < 0 || member > kMostCounted)
    throw_invalid(std::string("has a '") + name + "' that is not a count");
  return member.get<std::int64_t>();
}

std::optional<RecordedEvaluation> evaluation_of(const Line& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || found->is_null()) return std::nullopt;
  return RecordedEvaluation{.loss = number_of(*found, "loss"), .accuracy = number_of(*found, "accuracy")};
}

std::string text_of(const Line& line, const char* name) { return printable(line.value(name, "")); }

/// Adds the lines of a report to a RunRecord, one after the other.
class Recorder {
 public:
  explicit Recorder(RunRecord& run) : run_(run) {}

  /// Adds a line of the report to the record. Returns a text that describes the fault of the line; empty if the line is
  /// valid.
  std::string add(const Line& line) {
    try {
      if (!line.is_object()) return "is not a JSON object";
      if (line.contains("profile")) return "";
      if (line.contains("epoch")) return add_epoch(line);
      if (line.contains("evaluation")) return add_evaluation(line.at("evaluation"));
      if (line.contains("step")) return add_step(line);
      return "contains no step, epoch, evaluation or profile";
    } catch (const Error& error) {
      return error.message();
    } catch (const Line::exception& error) {
      return std::string("is not a step or epoch of a report: ") + error.what();
    }
  }

 private:
  std::string add_step(const Line& line) {
    const auto step = count_of_line(line, "step");
    if (run_.steps > 0 && step <= run_.last_step)
      return "contains step " + std::to_string(step) + " after step " + std::to_string(run_.last_step);
    const Line& seconds = line.at("seconds");
    const double whole = number_of(seconds, "step");
    const double compute = number_of(seconds, "compute_all");
    const double reduce = number_of(seconds, "reduce");
    const double apply = number_of(seconds, "apply_all");
    const auto samples = count_of_line(line, "samples");
    const double loss = number_of(line, "loss");
    if (line.contains("unit") && text_of(line, "unit") == "tokens") run_.unit = "tokens";
    if (run_.steps++ == 0) run_.first_step = step;
    run_.last_step = step;
    run_.samples += samples;
    run_.seconds += whole;
    run_.last_loss = loss;
    run_.strategy = text_of(line, "strategy");
    run_.precision = text_of(line, "precision");
    run_.algorithm = text_of(line, "algorithm");
    add_algorithm(line);
    add_slowest(line);
    const double rate = whole > 0 ? static_cast<double>(samples) / whole : 0;
    add_numbers(step, {loss, rate, compute, reduce, apply, std::max(0.0, whole - compute - reduce - apply)});
    for (const Line& repair : line.value("repairs", Line::array())) add_repair(step, repair);
    return "";
  }

  void add_slowest(const Line& line) {
    Slowest slowest;
    if (const auto found = line.find("slowest"); found != line.end() && found->at("worker").get<int>() >= 0)
      slowest = {found->at("worker").get<int>(), number_of(*found, "seconds"), number_of(*found, "others")};
    run_.stragglers.add(slowest);
  }

  /// Adds the figures of local SGD or L-BFGS in the line of a step, if the line contains them. Reports of earlier
  /// versions do not contain these figures.
  void add_algorithm(const Line& line) {
    RecordedAlgorithm& did = run_.did;
    if (const auto local = line.find("local"); local != line.end()) {
      did.local_steps = count_of_line(*local, "steps");
      did.drift = number_of(*local, "drift");
    }
    const auto lbfgs = line.find("lbfgs");
    if (lbfgs == line.end() || count_of_line(*lbfgs, "evaluations") == 0) return;
    did.evaluations += count_of_line(*lbfgs, "evaluations");
    did.portions += count_of_line(*lbfgs, "portions");
    did.backups += count_of_line(*lbfgs, "backups");
    did.objective = number_of(*lbfgs, "objective");
    did.largest = number_of(*lbfgs, "largest");
    did.end = text_of(*lbfgs, "end");
  }

  /// Adds the numbers of a step to the record for charts. If one of the numbers is infinite or NaN, adds none of them.
  void add_numbers(std::int64_t step, const std::array<double, kStepNumbers>& numbers) {
    if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }))
      run_.numbers.add(static_cast<double>(step), numbers);
  }

  void add_repair(std::int64_t step, const Line& repair) {
    ++run_.num_repairs;
    if (run_.repairs.size() == RunRecord::kMostRepairs) return;
    run_.repairs.push_back({step, "step " + std::to_string(step) + ": worker " + repair.at("worker").dump() + " on " +
                                      text_of(repair, "node") + ", " + text_of(repair, "phase") + ": " +
                                      text_of(repair, "what")});
  }

  std::string add_epoch(const Line& line) {
    const auto epoch = count_of_line(line, "epoch");
    if (!run_.epochs.empty() && epoch <= run_.epochs.back().epoch)
      return "contains epoch " + std::to_string(epoch) + " after epoch " + std::to_string(run_.epochs.back().epoch);
    if (run_.epochs.size() == RunRecord::kMostEpochs) run_.epochs.pop_front();
    run_.epochs.push_back({.epoch = epoch,
                           .loss = number_of(line, "loss"),
                           .accuracy = line.contains("accuracy") ? number_of(line, "accuracy") : std::nan(""),
                           .learning_rate = number_of(line, "learning_rate"),
                           .rate = number_of(line, "samples_per_second"),
                           .test = evaluation_of(line, "test"),
                           .validation = evaluation_of(line, "validation")});
    return "";
  }

  std::string add_evaluation(const Line& line) {
    if (run_.between_epochs.size() == RunRecord::kMostEpochs) run_.between_epochs.pop_front();
    run_.between_epochs.push_back({count_of_line(line, "step"),
                                   text_of(line, "set"),
                                   {.loss = number_of(line, "loss"), .accuracy = number_of(line, "accuracy")}});
    return "";
  }

  RunRecord& run_;
};

/// Reads the lines of a file, one after the other. A line of more than kLongestReportLine bytes is an error.
class Lines {
 public:
  explicit Lines(const std::string& path) : file_(path) {}

  /// Reads the next line. Returns false at the end of the file.
  bool next() {
    text_.clear();
    ended_ = false;
    ++number_;
    while (!ended_ && (at_ < buffer_.size() || read_on())) {
      const auto rest = std::span(buffer_).subspan(at_);
      const auto end = std::ranges::find(rest, '\n');
      ended_ = end != rest.end();
      text_.append(rest.begin(), end);
      at_ += static_cast<std::size_t>(end - rest.begin()) + (ended_ ? 1 : 0);
      if (text_.size() > kLongestReportLine) refuse("is longer than " + std::to_string(kLongestReportLine) + " bytes");
    }
    return ended_ || !text_.empty();
  }

  const std::string& text() const { return text_; }
  /// Returns whether the current line ended with a line feed.
  bool ended() const { return ended_; }
  /// Throws Error bad_file that contains the path of the file, the number of the current line, and `why`.
  [[noreturn]] void refuse(const std::string& why) const {
    throw_bad_file(file_.path(), "line " + std::to_string(number_) + " " + why);
  }

 private:
  bool read_on() {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 16;
    buffer_.resize(static_cast<std::size_t>(std::min(kAtOnce, file_.size() - read_)));
    file_.read(read_, std::as_writable_bytes(std::span(buffer_)));
    read_ += buffer_.size();
    at_ = 0;
    return !buffer_.empty();
  }

  InputFile file_;
  std::uint64_t read_ = 0;  ///< number of bytes read from the file
  std::vector<char> buffer_;
  std::size_t at_ = 0;  ///< position in the buffer after the part that has been returned as lines
  std::string text_;
  std::int64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace

RunRecord read_run(const std::string& path) {
  Lines lines(path);
  RunRecord run;
  Recorder recorder(run);
  const JsonBounds bounds{.deepest = kDeepestLine, .keys_may_repeat = true};
  while (lines.next()) {
    std::string fault;
    const Line line = parse_bounded(lines.text(), bounds, fault);
    if (fault.starts_with("is nested")) lines.refuse(fault);
    if (line.is_discarded() && !lines.ended()) {
      run.cut_off = true;
      break;
    }
    if (const std::string wrong = recorder.add(line); !wrong.empty()) lines.refuse(wrong);
  }
  if (run.steps == 0) throw_bad_file(path, "the report contains no step");
  return run;
}

}  // namespace troupe::cli
