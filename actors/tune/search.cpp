#include "actors/tune/search.hpp"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include "actors/callbacks/better.hpp"
#include "actors/functions/function_table.hpp"
#include "actors/launch/launch.hpp"
#include "actors/placements/hosting.hpp"
#include "actors/tune/analysis.hpp"
#include "actors/tune/trial_reports.hpp"
#include "models/network/accelerators.hpp"
#include "runtime/clock.hpp"
#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/cgroup.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/suggestion.hpp"

namespace troupe::tune {
namespace {

/// The maximum time for which the search sleeps. It must check some conditions, such as timeouts, at intervals, because
/// they do not wake the search.
constexpr std::chrono::milliseconds kLookEvery{100};

Space space_of(const Options& options) {
  if (options.suggest && !(options.space.is_null() || options.space.empty()))
    throw_invalid("set either space or suggest, not both");
  return Space(options.suggest || options.space.is_null() ? Json::object() : options.space);
}

/// Returns true if a trial that failed with the error `code` may succeed when it is started again. This is so if it
/// lost a worker or a timeout passed.
/// @param code the name of an error code
bool is_a_loss(const std::string& code) {
  return code == to_string(ErrorCode::worker_lost) || code == to_string(ErrorCode::timeout);
}

bool is_report(const Json& line) { return line.contains("iteration"); }

/// Sends the answer to a trial's report in the destructor. So the answer, for which the trial waits, is sent even if
/// the search throws while it processes the report.
class AnsweredReport {
 public:
  explicit AnsweredReport(const TrialProcess* trial) : trial_(trial) {}
  ~AnsweredReport() {
    if (trial_ != nullptr) trial_->answer_report();
  }
  AnsweredReport(const AnsweredReport&) = delete;
  AnsweredReport& operator=(const AnsweredReport&) = delete;

 private:
  const TrialProcess* trial_;
};

std::string names_of(const Json& metrics) {
  std::string names;
  for (const auto& [name, value] : metrics.items()) names += (names.empty() ? "" : ", ") + printable(name);
  return names.empty() ? "nothing" : names;
}

}  // namespace

Search::Search(const Trainable& trainable, const Options& options)
    : trainable_(trainable),
      options_(options),
      space_(space_of(options)),
      stopper_(make_stopper(options.scheduler)),
      out_of_memory_kills_(cgroup::Reader().out_of_memory_kills()) {
  check();
  give_cores();
  give_devices();
  folder_ = std::make_shared<SearchFolder>(options_.folder, options_.resume, description());
  read_trials();
}

void Search::check() {
  if (!is_initialised()) throw_invalid("call troupe::init before a search: trials run this program again");
  functions().of_trainers.find(trainable_.function);
  if (!on_one_machine(trainable_.workers.placement))
    throw Error(ErrorCode::unsupported, "trials run on this machine: their placement must be in_process or processes");
  if (trainable_.keep_checkpoints < 1) throw_invalid("keep_checkpoints must be at least 1");
  if (trainable_.config.is_null()) trainable_.config = Json::object();
  if (!trainable_.config.is_object()) throw_invalid("a trainable's config must be an object");
  if (options_.num_samples < 1)
    throw_invalid("num_samples is " + std::to_string(options_.num_samples) + "; it must be at least 1");
  if (options_.concurrent < 0 || options_.max_failures < 0 || options_.report_timeout.count() < 0 ||
      options_.end_timeout.count() < 0)
    throw_invalid("concurrent, max_failures, report_timeout and end_timeout must not be negative");
  if (options_.metric.empty()) throw_invalid("metric is empty; trials are compared by it");
  if (options_.resume && options_.folder.empty()) throw_invalid("resume needs the folder of the search");
  num_trials_ = space_.trials(options_.num_samples);
  if (trainable_.dataset.has_values())
    throw Error(ErrorCode::unsupported,
                "trials run in other processes and cannot receive data by value: register the data");
  if (!options_.suggest) task_of(space_.config(options_.seed, 0));
}

/// Determines how many cores each trial gets, and how many trials run at the same time. No two trials share a core, so
/// that trials do not slow each other down.
/// @throws Error invalid_argument if a trial needs more cores than this process may use
void Search::give_cores() {
  free_.cores = usable_core_numbers();
  TrainerOptions& workers = trainable_.workers;
  int& cpus = options_.resources_per_trial.cpus;
  if (cpus < 0) throw_invalid("a trial's cpus must not be negative");
  const bool plain = workers.num_workers.max == 1 && workers.cpus_per_worker == 1;
  if (plain && cpus > 1) workers.cpus_per_worker = cpus;
  if (workers.num_workers.max == inf && cpus == 0) throw_invalid("num_workers is unbounded; set a trial's cpus");
  if (workers.num_workers.min < 1 || workers.cpus_per_worker < 1)
    throw_invalid("a trial's num_workers and cpus_per_worker must be at least 1");
  const std::int64_t asked = std::int64_t{workers.num_workers.min} * workers.cpus_per_worker;
  const auto there = static_cast<int>(free_.cores.size());
  if (cpus == 0) cpus = static_cast<int>(std::min<std::int64_t>(asked, there));
  if (cpus > there)
    throw_invalid("a trial takes " + std::to_string(cpus) + " cores; available: " + std::to_string(there));
  const int at_once = there / cpus;
  most_at_once_ = static_cast<std::size_t>(options_.concurrent > 0 ? std::min(options_.concurrent, at_once) : at_once);
}

/// Determines how many CUDA devices each trial gets, and limits the number of trials that run at the same time by them.
/// @throws Error invalid_argument for a negative number; unsupported if a trial needs more devices than there are
void Search::give_devices() {
  const TrainerOptions& workers = trainable_.workers;
  int& gpus = options_.resources_per_trial.gpus;
  if (gpus < 0 || workers.gpus_per_worker < 0) throw_invalid("a trial's gpus must not be negative");
  const std::int64_t asked = std::int64_t{workers.num_workers.min} * workers.gpus_per_worker;
  if (gpus == 0 && asked == 0) return;
  const std::int64_t each = gpus == 0 ? asked : gpus;
  require_accelerators(each, "a trial takes");
  gpus = static_cast<int>(each);
  const int there = accelerator_count();
  for (int device = there - 1; device >= 0; --device) free_.devices.push_back(device);
  most_at_once_ = std::min(most_at_once_, static_cast<std::size_t>(there / each));
}

/// Returns the task of the trial with the values `drawn`.
/// @param drawn the values that were drawn or suggested for the trial
/// @throws Error invalid_argument if the name of a data set refers to a value that the trial's config does not have
TrialTask Search::task_of(const Json& drawn) const {
  TrialTask task{trainable_, trainable_.config, options_.resources_per_trial.memory, options_.scheduler.max_iterations};
  task.config.update(drawn, /*merge_objects=*/true);
  datasets_of(trainable_.dataset, task.config);
  return task;
}

/// Returns the description of the search. A search may be resumed only if its description is equal to the stored one.
Json Search::description() const {
  TrialTask task{trainable_, trainable_.config, options_.resources_per_trial.memory};
  Json json = to_json(task);
  json.erase("most_reports");  // depends on the scheduler: a search may be resumed with another scheduler
  json["space"] = options_.suggest ? Json("suggested") : options_.space;
  json["num_samples"] = options_.suggest ? Json() : Json(options_.num_samples);
  json["seed"] = options_.seed;
  json["metric"] = options_.metric;
  json["better"] = options_.better == Better::lower ? "lower" : "higher";
  return json;
}

/// Reads the trials of a resumed search from its folder, and passes their reports to the scheduler. Trials that have
/// not ended will be started again.
void Search::read_trials() {
  while (auto trial = folder_->read(static_cast<int>(trials_.size()) + 1)) trials_.push_back(std::move(*trial));
  for (const Trial& trial : trials_)
    for (const Report& report : trial.reports) judge(trial, report);
}

bool Search::judge(const Trial& trial, const Report& report) {
  const auto value = metric_of(report, options_.metric);
  return !value ||
         stopper_->goes_on(trial.number, report.iteration, options_.better == Better::lower ? *value : -*value);
}

void Search::run() {
  keeping_errors([&] { run_trials(); });
  if (owner_.is_this()) keeping_errors([&] { end_all(); });
  if (thrown_) std::rethrow_exception(thrown_);
  folder_->release();
}

void Search::run_trials() {
  while (!thrown_ && !wants_to_stop()) {
    start_trials();
    complete_ = runs_.empty() && has_no_more();
    if (complete_) return;
    wait();
    for (Run& run : runs_) hear(run);
    for (Run& run : runs_) run.leaving ? look_for_end(run) : look_for_silence(run);
    drop_ended();
  }
}

/// Returns true if no trial has to be started any more: no new trial will be added, and no trial waits to be started
/// again.
bool Search::has_no_more() const {
  return no_more_ &&
         std::ranges::none_of(trials_, [](const Trial& trial) { return trial.state == TrialState::waiting; });
}

bool Search::next_trial(std::size_t& at) {
  const auto waiting =
      std::ranges::find_if(trials_, [](const Trial& each) { return each.state == TrialState::waiting; });
  at = static_cast<std::size_t>(waiting - trials_.begin());
  if (waiting != trials_.end()) return true;
  auto config = no_more_ ? std::nullopt : next_config();
  no_more_ = !config;
  if (!config) return false;
  Trial trial;
  trial.number = static_cast<int>(trials_.size()) + 1;
  trial.config = std::move(*config);
  trials_.push_back(std::move(trial));
  return true;
}

std::optional<Json> Search::next_config() const {
  const auto index = static_cast<std::int64_t>(trials_.size());
  if (!options_.suggest) return index < num_trials_ ? std::optional(space_.config(options_.seed, index)) : std::nullopt;
  if (index >= kMostTrials) return std::nullopt;
  auto config = options_.suggest(trials_);
  check_owner();
  if (config && !config->is_object()) throw_invalid("suggest must return an object as the config of a trial");
  if (config) check_depth(*config, "a suggested config");
  return config;
}

void Search::start_trials() {
  const auto part_of = [](std::vector<int>& all, int count) {
    std::vector<int> taken(all.end() - count, all.end());
    all.resize(all.size() - taken.size());
    return taken;
  };
  const Resources& each = options_.resources_per_trial;
  for (std::size_t at = 0; runs_.size() < most_at_once_ && next_trial(at);) {
    const bool started = start(at, {part_of(free_.cores, each.cpus), part_of(free_.devices, each.gpus)});
    drop_ended();
    if (!started) return Clock::sleep_for(kLookEvery);
  }
}

/// Starts the process of a trial. Returns false if the process cannot be started. If other trials run at that time,
/// this failure does not count as an attempt, because the other trials may use the missing resources.
/// @param at the index of the trial in `trials_`
bool Search::start(std::size_t at, TrialShare share) {
  Trial& trial = trials_[at];
  folder_->write_task(trial, task_of(trial.config));
  ++trial.attempts;
  trial.state = TrialState::running;
  Run& run = runs_.emplace_back(Run{at, std::move(share), Clock::now(), Clock::now(), nullptr});
  try {
    run.process = std::make_unique<TrialProcess>(folder_->files(trial.number).folder, run.share);
  } catch (const Error& error) {
    run.over = true;
    if (error.code() == ErrorCode::bad_file) throw;
    if (runs_.size() > 1) --trial.attempts;
    lose(run, std::string("could not start: ") + error.what());
    return false;
  }
  tell(trial);
  return true;
}

void Search::wait() const {
  std::vector<pollfd> sockets;
  for (const Run& run : runs_) sockets.push_back({run.process->socket(), POLLIN, 0});
  ::poll(sockets.data(), sockets.size(), static_cast<int>(kLookEvery.count()));
}

void Search::hear(Run& run) {
  try {
    for (const Json& line : run.process->take()) {
      run.heard = Clock::now();
      const AnsweredReport answered(is_report(line) ? run.process.get() : nullptr);
      if (run.over) continue;
      run.leaving ? take_late(run, line) : take(run, line);
    }
  } catch (const Json::exception& error) {
    return lose(run, std::string("sent an invalid message: ") + error.what());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::protocol) throw;
    return lose(run, error.what());
  }
  if (!run.over && !run.leaving && run.process->has_ended()) lose(run, "its process " + run.process->how_it_ended());
}

void Search::take(Run& run, const Json& line) {
  Trial& trial = trials_[run.at];
  if (line.contains("kept")) {
    keep_reports(trial, line["kept"].get<std::size_t>());
  } else if (line.contains("result")) {
    trial.result = line["result"];
    run.process->how_it_ended();
    end(run, TrialState::done);
  } else if (line.contains("error")) {
    const std::string error = printable(line.at("error").get<std::string>());
    const auto code = line.at("code").get<std::string>();
    run.process->how_it_ended();
    if (is_a_loss(code)) return lose(run, error);
    trial.error = error;
    end(run, TrialState::failed);
  } else {
    take_report(run, report_from(line));
  }
}

/// Called when the process of `trial` has started and has sent `kept`, the number of reports that stay valid. The trial
/// will make all later reports again. So this function makes `trial.reports` equal to the first `kept` reports in the
/// trial's file.
void Search::keep_reports(Trial& trial, std::size_t kept) {
  const std::size_t known = trial.reports.size();
  if (kept > known) trial.reports = read_reports(folder_->files(trial.number).reports());
  if (kept < trial.reports.size()) trial.reports.resize(kept);
  for (std::size_t i = known; i < trial.reports.size(); ++i) judge(trial, trial.reports[i]);
}

/// Processes a message of a trial that was told to end. If the trial was between two reports at that time, it sends one
/// more report. Adds this report to the trial, because the trial's file contains the report, too.
void Search::take_late(Run& run, const Json& line) {
  if (line.contains("kept")) return keep_reports(trials_[run.at], line["kept"].get<std::size_t>());
  if (!is_report(line)) return;
  Report report = report_from(line);
  const std::int64_t most = options_.scheduler.max_iterations;
  if (most == 0 || report.iteration <= most) trials_[run.at].reports.push_back(std::move(report));
}

/// Adds a report to its trial. If the scheduler stops the trial, tells the trial to end. A trial should end by itself
/// after `max_iterations` reports. If the trial makes one more report, ignores this report and tells the trial to end.
void Search::take_report(Run& run, Report report) {
  Trial& trial = trials_[run.at];
  const std::int64_t most = options_.scheduler.max_iterations;
  if (most > 0 && report.iteration > most) return dismiss(run, TrialState::done);
  check_metric(trial, report);
  trial.reports.push_back(std::move(report));
  tell(trial);
  if (!judge(trial, trial.reports.back())) dismiss(run, TrialState::stopped);
}

void Search::dismiss(Run& run, TrialState state) {
  run.leaving = state;
  run.deadline = Deadline(options_.end_timeout);
  run.process->ask_to_end();
}

/// Called repeatedly for a trial that was told to end. If the trial's process has closed its connection, or the
/// deadline `run.deadline` has passed, kills the process and records the end of the trial.
void Search::look_for_end(Run& run) {
  if (run.over || !(run.process->has_ended() || run.deadline.passed())) return;
  run.process->kill();
  hear(run);  // reads the last messages of the process
  if (*run.leaving != TrialState::waiting) return end(run, *run.leaving);
  run.over = true;
}

/// Ends all trials that still run when the search stops. If the search is resumed later, these trials start again: from
/// their last checkpoint, or from the beginning if they have no checkpoint.
void Search::end_all() {
  for (Run& run : runs_) {
    if (run.over) continue;
    if (!run.leaving) dismiss(run, TrialState::waiting);
    if (*run.leaving == TrialState::waiting) trials_[run.at].state = TrialState::waiting;
  }
  while (std::ranges::any_of(runs_, [](const Run& run) { return !run.over; })) {
    wait();
    for (Run& run : runs_) hear(run);
    for (Run& run : runs_) look_for_end(run);
  }
  runs_.clear();
}

/// Checks that `trial` reports the metric that the scheduler needs.
/// @throws Error invalid_argument if the scheduler compares trials, but neither `report` nor an earlier report of the
/// trial has the metric `Options::metric`
void Search::check_metric(const Trial& trial, const Report& report) const {
  if (options_.scheduler.kind == SchedulerKind::fifo || metric_of(report, options_.metric)) return;
  if (last_value(trial, options_.metric)) return;
  std::vector<std::string> names;
  for (const auto& [name, each] : report.metrics.items()) names.push_back(name);
  throw_invalid("the scheduler compares '" + printable(options_.metric) + "', but trials report " +
                names_of(report.metrics) + did_you_mean(options_.metric, names));
}

/// Treats the trial of `run` as lost if its process has sent nothing for `Options::report_timeout`.
void Search::look_for_silence(Run& run) {
  const auto timeout = options_.report_timeout;
  if (run.over || timeout.count() == 0 || Clock::now() - run.heard < timeout) return;
  lose(run, "reported nothing for " + std::to_string(timeout.count()) + " ms");
}

/// Handles the loss of a trial's process. If the trial has attempts left, it will be started again; otherwise the trial
/// has failed. If the trial was told to end, only sets the deadline to the present time, so that `look_for_end` kills
/// the process at once.
/// @param how the reason of the loss, for error messages
void Search::lose(Run& run, const std::string& how) {
  if (run.leaving) {
    run.deadline = Deadline(std::chrono::milliseconds(0));
    return;
  }
  Trial& trial = trials_[run.at];
  const bool for_memory = cgroup::Reader().out_of_memory_kills() > out_of_memory_kills_;
  trial.error = "lost: " + how + (for_memory ? "; processes were killed because memory ran out" : "");
  if (trial.attempts > options_.max_failures) return end(run, TrialState::failed);
  run.over = true;
  trial.state = TrialState::waiting;
  tell(trial);
}

/// Records the end of a trial in the trial's folder, and kills the trial's process if it still runs.
/// @param state the state of the trial after its end
void Search::end(Run& run, TrialState state) {
  Trial& trial = trials_[run.at];
  run.over = true;
  trial.state = state;
  if (state != TrialState::failed) trial.error.clear();
  trial.seconds = std::chrono::duration<double>(Clock::now() - run.begun).count();
  if (run.process) run.process->kill();
  trial.checkpoint = last_checkpoint(folder_->files(trial.number));
  folder_->write_end(trial);
  tell(trial);
}

void Search::drop_ended() {
  for (auto run = runs_.begin(); run != runs_.end();) {
    if (!run->over) {
      ++run;
      continue;
    }
    run->process.reset();
    free_.cores.insert(free_.cores.end(), run->share.cores.begin(), run->share.cores.end());
    free_.devices.insert(free_.devices.end(), run->share.devices.begin(), run->share.devices.end());
    run = runs_.erase(run);
  }
}

/// Calls the user's function `Options::on_change` with `trial`. If the function throws, the exception is stored, and
/// ends the search after the present iteration of `run_trials`.
void Search::tell(const Trial& trial) {
  if (options_.on_change) keeping_errors([&] { options_.on_change(trial); });
  check_owner();
}

void Search::keeping_errors(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
  }
}

}  // namespace troupe::tune
