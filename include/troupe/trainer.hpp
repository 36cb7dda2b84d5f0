#pragma once

// Trainer: runs a training function of your own on several workers. The design follows Ray's Trainer (RaySGD v2).
//
//    troupe::Trainer trainer{{.num_workers = 4}};
//    trainer.run("train", {{"lr", 0.1}}, {.dataset = "fashion-mnist"});  // see register_function

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "troupe/callback.hpp"
#include "troupe/function.hpp"
#include "troupe/init.hpp"
#include "troupe/task_context.hpp"
#include "troupe/workers.hpp"

namespace troupe {

namespace tune {
struct Trainable;
}

/// A maximum for WorkerCount that means "no limit". Example: `.num_workers = {2, inf}` starts as many workers as the
/// machine has cores.
inline constexpr int inf = std::numeric_limits<int>::max();  // NOLINT(readability-identifier-naming): as in mathematics

/// Timeouts of a Trainer. All must be at least 1 ms.
struct TrainerTimeouts {
  /// Timeout for workers to start.
  std::chrono::milliseconds start = std::chrono::seconds(60);
  /// Timeout of collectives. A rank that has not called a collective after this time counts as missing.
  std::chrono::milliseconds collective = std::chrono::seconds(60);
  /// Timeout for functions to return after another rank has failed. If a function runs longer, its worker counts as
  /// lost. The worker's process is killed, or, with placement in_process, its thread is abandoned.
  std::chrono::milliseconds stop = std::chrono::seconds(10);
};

/// When a worker counts as lost, and the reaction to the loss. See FaultToleranceOptions.
struct TrainerFaultTolerance {
  /// After this time without a sign of life of a worker, the log has a warning; see
  /// FaultToleranceOptions::suspect_after.
  std::chrono::milliseconds suspect_after = FaultToleranceOptions().suspect_after;
  /// After this time without a sign of life, a worker counts as lost; see FaultToleranceOptions::cut_after.
  std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after;
  /// Maximum number of worker losses within an hour. After each loss up to this number, the function is called again.
  /// One more loss ends the run.
  int max_failures = 3;
};

/// The workers of a Trainer and their placement.
struct TrainerOptions {
  /// Number of workers, or a range. With a range, the run continues without a lost worker, as long as the minimum of
  /// workers remains; the next run has all workers again. In a cluster, the workers are assigned to the nodes, and
  /// their number does not decrease. The maximum `inf` is not available in a cluster.
  WorkerCount num_workers = 1;
  /// Number of threads that one worker may use for computations. If all workers of a machine together may use more
  /// threads than the machine has cores, they share the cores, and the log has a message.
  int cpus_per_worker = 1;
  /// Number of CUDA devices that belong to each worker (TaskContext::devices), in programs that link troupe::cuda. The
  /// workers of a machine share out its devices in order of PCI id, and no device belongs to two workers. With a range
  /// of workers, their number also follows the number of devices. If a machine has too few devices, the Trainer (in a
  /// cluster the run) ends with Error unsupported. 0 (default): functions compute on CPUs.
  int gpus_per_worker = 0;
  /// The place where workers run. Default: in_process.
  Placement placement = Placement::in_process;
  /// Address and certificates of a cluster; used by placement `cluster` only.
  ClusterOptions cluster = ClusterOptions();
  /// Implementation of collectives: "store" on one machine, "data-plane" among nodes. Empty (default): chosen by the
  /// placement.
  std::string backend = {};
  /// Seed of the data, and the result of TaskContext::seed.
  std::uint64_t seed = 1;
  /// Memory limits.
  MemoryOptions memory = MemoryOptions();
  /// Timeouts.
  TrainerTimeouts timeouts = {};
  /// When a worker counts as lost, and the reaction to the loss.
  TrainerFaultTolerance fault_tolerance = {};
};

/// How the values of one metric, one from each rank, are combined into one value.
enum class Aggregate : std::uint8_t {
  mean,   ///< the mean over the ranks that reported the metric
  sum,    ///< the sum over the ranks that reported the metric
  max,    ///< the maximum over the ranks that reported the metric
  all,    ///< a list by rank, with null for ranks that did not report the metric
  first,  ///< the value of the lowest rank that reported the metric
};

/// How the reports of all ranks are combined into reports of the run.
struct ReportOptions {
  /// How the values of a metric are combined if they are numbers. For other metrics, the value of the first rank is
  /// used. Default: mean.
  Aggregate aggregate = Aggregate::mean;
  /// The Aggregate of certain metrics, by name of the metric. All other metrics use `aggregate`, except "epoch", which
  /// uses `max`.
  std::map<std::string, Aggregate> metrics = {};
  /// Number of reports of each rank that are combined into one report of the run. 0: a single report at the end.
  /// Default: 1. With Aggregate::all, the combined report contains only the last value of each rank. With
  /// Aggregate::first, and for values that are not numbers, the combined report contains the first value.
  int every = 1;
  /// If true, reports of ranks other than 0 are dropped, and the run does not wait for them. Default: false.
  bool first_rank_only = false;
  /// If true, TaskContext::report blocks until the trainer has handled the report and called the callbacks. Trials of a
  /// search always use true, because after each report the search decides whether the trial continues. Default: false.
  bool awaited = false;
};

/// A data set of a run: the name of data (see load_data), which works with all placements, or the data itself (data by
/// value), which requires placement in_process.
class RunData {
 public:
  RunData() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  /// Makes a data set that is loaded by load_data with this name.
  RunData(std::string name) : name_(std::move(name)) {}
  RunData(const char* name) : name_(name) {}
  /// Makes a data set from data by value.
  RunData(TrainingData data) : data_(std::move(data)) {}
  // NOLINTEND(google-explicit-constructor)

  /// Returns the name of the data. Empty for data by value.
  const std::string& name() const { return name_; }
  /// Returns the data by value. Empty for data by name.
  const TrainingData& data() const { return data_; }
  /// Returns true if this object contains neither a name nor data.
  bool empty() const { return name_.empty() && !data_.train; }

 private:
  std::string name_;
  TrainingData data_;
};

/// The data sets of a run: none, one, or several. Example of several: `{"fold:1/2:a", "fold:2/2:a"}`.
class RunDatasets {
 public:
  RunDatasets() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  RunDatasets(RunData one) {
    if (!one.empty()) all_.push_back(std::move(one));
  }
  RunDatasets(std::string name) : RunDatasets(RunData(std::move(name))) {}
  RunDatasets(const char* name) : RunDatasets(RunData(name)) {}
  RunDatasets(TrainingData data) : RunDatasets(RunData(std::move(data))) {}
  RunDatasets(std::initializer_list<RunData> several) : all_(several) {}
  template <std::convertible_to<RunData> T>
  RunDatasets(const std::vector<T>& several) : all_(several.begin(), several.end()) {}
  // NOLINTEND(google-explicit-constructor)

  /// Returns all data sets, in order.
  const std::vector<RunData>& all() const { return all_; }
  /// Returns true if at least one data set is given by value.
  bool has_values() const {
    return std::ranges::any_of(all_, [](const RunData& each) { return each.data().train != nullptr; });
  }

 private:
  std::vector<RunData> all_;
};

/// Where the checkpoints of a function are stored.
struct RunCheckpoints {
  /// The folder in which checkpoints are stored as `checkpoint-000001` and so on. Empty (default): only the last
  /// checkpoint is stored, in the memory of this process.
  std::string folder = {};
  /// Number of checkpoints to keep in the folder: the newest ones.
  int keep = 2;
  /// If true, the function resumes from the newest checkpoint in the folder; requires `folder`. Default: false.
  bool resume = false;
};

/// Options of one run.
struct RunOptions {
  /// The data sets; see TaskContext::dataset.
  RunDatasets dataset = {};
  /// Callbacks, which observe the run.
  Callbacks callbacks = {};
  /// How reports are combined.
  ReportOptions reports = {};
  /// Where checkpoints are stored.
  RunCheckpoints checkpoints = {};
};

/// The results of a function: one for each rank, in order of rank.
using RunResults = std::vector<TaskResult>;

/// Describes a worker of a WorkerGroup.
struct WorkerInfo {
  int worker = 0;
  int pid = 0;
  std::string node;
  int cpus = 1;
  int gpus = 0;  ///< number of CUDA devices of the worker
  /// Resident memory of the worker's process in bytes. -1 if it is unknown.
  std::int64_t memory_bytes = -1;
  std::string state;  ///< "idle", "running" or "lost"
};

/// A run of a function on workers. A RunHandle yields the reports of the run one after the other:
///
/// ```cpp
/// for (const troupe::Report& report : trainer.run_generator("train")) std::cout << report.metrics << '\n';
/// ```
///
/// The destructor stops the function on workers on which it still runs, and calls Callback::on_end.
class RunHandle {
 public:
  class Impl;
  /// Only Troupe calls this constructor; see Trainer::run_generator.
  explicit RunHandle(std::shared_ptr<Impl> impl);
  RunHandle(RunHandle&&) noexcept = default;
  RunHandle& operator=(RunHandle&&) noexcept = default;
  ~RunHandle();

  /// Blocks until the next report and returns the report. Returns an empty optional once the function has returned on
  /// all workers.
  /// @throws Error the error that ended the run; see Trainer::run.
  std::optional<Report> next();
  /// Returns true if the run has ended.
  bool is_finished() const;
  /// Blocks until the run has ended and returns the results of the function.
  /// @throws Error the error that ended the run.
  const RunResults& returns();

  /// An input iterator over the reports of a run.
  class Iterator {
   public:
    using value_type = Report;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    explicit Iterator(RunHandle* run) : run_(run) { ++*this; }
    const Report& operator*() const { return *report_; }
    const Report* operator->() const { return &*report_; }
    Iterator& operator++() {
      report_ = run_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t /*end*/) const { return !report_; }

   private:
    RunHandle* run_;
    std::optional<Report> report_;
  };
  /// Returns an iterator that refers to the next report. May block, like `next`.
  Iterator begin() { return Iterator(this); }
  /// Returns the sentinel that an iterator equals after the last report.
  static std::default_sentinel_t end() { return {}; }

 private:
  Impl& impl() const;
  std::shared_ptr<Impl> impl_;
};

/// A group of workers that run functions. Trainer is based on this class; use WorkerGroup for an interface of your own.
class WorkerGroup {
 public:
  /// Starts the workers.
  /// @throws Error invalid_argument or unsupported if options are invalid or cannot be combined.
  /// @throws Error timeout or worker_lost if a worker does not start.
  explicit WorkerGroup(TrainerOptions options);
  ~WorkerGroup();
  WorkerGroup(WorkerGroup&&) noexcept;
  WorkerGroup& operator=(WorkerGroup&&) noexcept;

  /// Returns the number of workers. Returns 0 after `shutdown`.
  int size() const;
  /// Returns the options with which the group was made.
  /// @throws Error invalid_argument after `shutdown`.
  const TrainerOptions& options() const;
  /// Returns a description of each worker. Empty after `shutdown`.
  std::vector<WorkerInfo> workers() const;
  /// Returns true if functions and data can be passed by value, which requires placement in_process.
  bool takes_values() const;

  /// Runs a registered function on all workers, which form one group, and returns the results.
  /// @throws Error as Trainer::run.
  RunResults execute(const std::string& function, const Json& config = {});
  /// Runs a function by value on all workers, which form one group, and returns the results. Requires placement
  /// in_process.
  RunResults execute(const TrainFunction& function, const Json& config = {});
  /// Runs a registered function on the worker of rank 0 only, as a group of one rank, and returns the result.
  /// @throws Error as Trainer::run.
  TaskResult execute_single(const std::string& function, const Json& config = {});
  /// Runs a function by value on the worker of rank 0 only, as a group of one rank, and returns the result. Requires
  /// placement in_process.
  TaskResult execute_single(const TrainFunction& function, const Json& config = {});
  /// Starts a registered function on all workers and returns a handle to follow the run.
  /// @throws Error in_use if another run has not ended.
  /// @throws Error invalid_argument if the function is not registered or options are invalid.
  RunHandle run(const std::string& function, const Json& config, const RunOptions& options);
  /// Starts a function by value on all workers and returns a handle to follow the run. Requires placement in_process.
  RunHandle run(const TrainFunction& function, const Json& config, const RunOptions& options);
  /// Returns the last checkpoint that all ranks have acknowledged.
  std::optional<Checkpoint> last_checkpoint() const;

  /// Ends the workers. Afterwards the group cannot run functions.
  /// @throws Error in_use if a run has not ended.
  void shutdown();

  class Impl;

 private:
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};
/// Writes a table with one line for each worker.
std::ostream& operator<<(std::ostream& out, const WorkerGroup& workers);

/// Runs a training function on workers and collects its reports, checkpoints and results. The design follows Ray's
/// Trainer (RaySGD v2).
///
/// **Thread safety.** Not thread-safe: only one thread at a time may use a trainer, but different threads may take
/// turns. In a child process made by fork every call throws Error unsupported, and destructors do nothing.
///
/// **Failures.** If a function throws, the functions on the other workers are asked to stop (TaskContext::should_stop),
/// and the run ends with the error. If a worker is lost, the function is called again on all workers that are
/// available. In the new call, `load_checkpoint` returns the last checkpoint that all ranks had acknowledged. No call
/// blocks forever. If a rank does not call a collective, or does not stop, an error occurs after a timeout
/// (TrainerTimeouts).
class Trainer {
 public:
  /// Starts the workers.
  /// @throws Error as WorkerGroup.
  explicit Trainer(TrainerOptions options) : workers_(std::move(options)) {}

  /// Runs a function on all workers and returns its results. Later runs use the same workers. `function` is the name of
  /// a registered function (see register_function), or a function by value, which requires placement in_process.
  /// @param function the function.
  /// @param config passed to the function; null is replaced by an empty object.
  /// @param options data sets, callbacks, reports and checkpoints of the run.
  /// @throws Error model_failed, or the Error that the function threw, with worker and node.
  /// @throws Error worker_lost if more workers were lost than TrainerFaultTolerance::max_failures allows.
  /// @throws Error timeout if a rank misses a collective or workers do not start in time.
  /// @throws Error invalid_argument if no function with this name is registered (the message lists the registered
  /// names), or options are invalid.
  /// @throws Error unsupported if the placement does not allow a function or data by value.
  /// @throws Error in_use if another run has not ended.
  template <class Function>
  RunResults run(const Function& function, const Json& config = {}, const RunOptions& options = {}) {
    RunHandle running = run_generator(function, config, options);
    while (running.next()) {
    }
    return running.returns();
  }
  /// Runs the function that is registered under the name `function` on all workers and returns its results.
  RunResults run(const char* function, const Json& config = {}, const RunOptions& options = {}) {
    return run(std::string(function), config, options);
  }

  /// Starts a function on all workers and returns a handle that yields the reports. Example: `for (auto& report :
  /// trainer.run_generator("train")) ...`.
  /// @throws Error as `run`, in this call or in calls of the handle.
  template <class Function>
  RunHandle run_generator(const Function& function, const Json& config = {}, const RunOptions& options = {}) {
    if constexpr (std::is_convertible_v<const Function&, std::string>)
      return workers_.run(std::string(function), config, options);
    else
      return workers_.run(TrainFunction(function), config, options);
  }
  /// Starts the function that is registered under the name `function`, and returns a handle that yields the reports.
  RunHandle run_generator(const char* function, const Json& config = {}, const RunOptions& options = {}) {
    return workers_.run(std::string(function), config, options);
  }

  /// Returns the last checkpoint that all ranks have acknowledged. After the start of a new run there is none, unless
  /// the run resumes from a checkpoint.
  std::optional<Checkpoint> last_checkpoint() const { return workers_.last_checkpoint(); }

  /// Makes an object of class T on each worker: `T(config)` if there is such a constructor, else `T()`. The object
  /// exists until `shutdown` or the next `start`. If workers are other processes, the program must have called
  /// `register_class<T>()` before `init`.
  /// @throws Error invalid_argument if the class is not registered.
  template <class T>
  void start(const Json& config = {});
  /// Calls a function on each worker and returns the results. The function receives a reference `T&` to the object that
  /// `start` made on the worker. Requires placement in_process.
  /// @throws Error invalid_argument if a worker has no object of class T.
  template <class T, class F>
  RunResults execute(F function);
  /// Calls the function that `register_method<T>` has registered under the name `method` on each worker, and returns
  /// the results. The function receives the object that `start` made, and `config`.
  RunResults execute(const std::string& method, const Json& config = {}) { return workers_.execute(method, config); }
  /// Calls a function with the object that `start` made on the worker of rank 0 only, as a group of one rank. Returns
  /// the result. Requires placement in_process.
  template <class T, class F>
  TaskResult execute_single(F function);
  /// Calls the function that `register_method<T>` has registered under the name `method` on the worker of rank 0 only,
  /// as a group of one rank. Returns the result.
  TaskResult execute_single(const std::string& method, const Json& config = {}) {
    return workers_.execute_single(method, config);
  }

  /// Returns a Trainable for tune::run, whose trials run `function` on workers with the options of this trainer.
  /// @param function the name of a registered function.
  /// @param options data by name, report options and the number of checkpoints to keep.
  /// @throws Error unsupported for data by value and for callbacks.
  /// @throws Error invalid_argument for a checkpoint folder or `resume`.
  tune::Trainable to_trainable(const std::string& function, const RunOptions& options = {}) const;

  /// Returns the number of workers.
  int num_workers() const { return workers_.size(); }
  /// Returns the group of workers that this trainer uses.
  WorkerGroup& workers() { return workers_; }
  /// Ends the workers. Afterwards the trainer cannot run functions.
  /// @throws Error in_use if a run has not ended.
  void shutdown() { workers_.shutdown(); }

  /// Writes a table with one line for each worker of the trainer.
  friend std::ostream& operator<<(std::ostream& out, const Trainer& trainer) { return out << trainer.workers_; }

 private:
  WorkerGroup workers_;
};

namespace detail {

template <class T>
void make_object(const Json& config) {
  if constexpr (std::is_constructible_v<T, const Json&> && !std::is_aggregate_v<T>)
    here().worker_storage() = std::make_shared<T>(config);
  else
    here().worker_storage() = std::make_shared<T>();
}

/// Returns the object that Trainer::start made on the worker that calls this function.
/// @throws Error invalid_argument if this worker has no object of class T.
template <class T>
T& object() {
  const auto* held = std::any_cast<std::shared_ptr<T>>(&here().worker_storage());
  if (held == nullptr)
    throw Error(ErrorCode::invalid_argument, "this worker has no object of that class: call Trainer::start first");
  return **held;
}

template <class T, class F>
auto on_object(F function) {
  return [function = std::move(function)](const Json& config) mutable {
    if constexpr (std::is_invocable_v<F&, T&, const Json&>)
      return function(object<T>(), config);
    else
      return function(object<T>());
  };
}

std::string name_of_class(std::type_index type);

}  // namespace detail

/// Registers class T, so that Trainer::start<T> works with workers in other processes. Call register_class before
/// `init`.
template <class T>
void register_class() {
  register_function(detail::name_of_class(typeid(T)), [](const Json& config) { detail::make_object<T>(config); });
}
/// Registers a function for Trainer::execute and execute_single under a name. On each worker, the function receives the
/// object (`T&`) that Trainer::start made, and the config if it has a second parameter. Call register_method before
/// `init`.
template <class T, class F>
void register_method(const std::string& name, F function) {
  register_function(name, detail::on_object<T>(std::move(function)));
}

template <class T>
void Trainer::start(const Json& config) {
  if (workers_.takes_values())
    workers_.execute(TrainFunction([](const Json& given) { detail::make_object<T>(given); }), config);
  else
    workers_.execute(detail::name_of_class(typeid(T)), config);
}

template <class T, class F>
RunResults Trainer::execute(F function) {
  return workers_.execute(TrainFunction(detail::on_object<T>(std::move(function))));
}

template <class T, class F>
TaskResult Trainer::execute_single(F function) {
  return workers_.execute_single(TrainFunction(detail::on_object<T>(std::move(function))));
}

}  // namespace troupe
