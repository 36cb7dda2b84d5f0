#pragma once

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

/// As many workers as the machine has cores for, as in `.num_workers = {2, inf}`.
inline constexpr int inf = std::numeric_limits<int>::max();  // NOLINT(readability-identifier-naming): as maths has it

/// How long a Trainer waits.
struct TrainerTimeouts {
  std::chrono::milliseconds start = std::chrono::seconds(60);       ///< for workers to start
  std::chrono::milliseconds collective = std::chrono::seconds(60);  ///< a rank that comes later is missing
  /// How long a function may go on when another rank has failed, and it should stop. Then its worker is lost: its
  /// process is killed, and in this process it is given up.
  std::chrono::milliseconds stop = std::chrono::seconds(10);
};

/// What a trainer takes for a loss, as FaultToleranceOptions, and what it does then.
struct TrainerFaultTolerance {
  std::chrono::milliseconds suspect_after = FaultToleranceOptions().suspect_after;
  std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after;
  int max_failures = 3;  ///< losses within an hour after which the function is called again
};

/// The workers of a Trainer, and where they are.
struct TrainerOptions {
  WorkerCount num_workers = 1;  ///< a range: a worker that is lost is done without, down to its first number; the next
                                ///< run has them all again. In a cluster they are dealt out to the nodes, and all stay
  int cpus_per_worker = 1;      ///< threads that its maths may use. Workers of one machine that ask for more cores than
                                ///< it has share them, which is told in the log
  int gpus_per_worker = 0;      ///< so far no other
  Placement placement = Placement::in_process;
  ClusterOptions cluster = ClusterOptions();  ///< for placement `cluster`
  std::string backend = {};  ///< of collectives: "store" on one machine, "data-plane" among nodes; empty: that
  std::uint64_t seed = 1;
  MemoryOptions memory = MemoryOptions();
  TrainerTimeouts timeouts = {};
  TrainerFaultTolerance fault_tolerance = {};
};

/// How the ranks' values of a metric become one.
enum class Aggregate : std::uint8_t {
  mean,  ///< of the ranks that reported it
  sum,
  max,
  all,    ///< a list, by rank; null of who did not report it
  first,  ///< that of the first rank that reported it
};

/// What becomes of reports.
struct ReportOptions {
  Aggregate aggregate = Aggregate::mean;          ///< of numbers; other values are those of the first rank
  std::map<std::string, Aggregate> metrics = {};  ///< by name, where it is another; of "epoch" it is `max` unless named
  /// One report of so many of each rank, of all their values; 0: one at the end, of all. With `all` it has each rank's
  /// last value alone, with `first`, and of what is no number, the first value.
  int every = 1;
  bool first_rank_only = false;  ///< what other ranks report is dropped, and not waited for
  /// `report` returns once the driver has dealt with what the rank said, and callbacks have been told of reports that
  /// came of it. So it is in trials of a search, which has decided by then whether the trial goes on.
  bool awaited = false;
};

/// Data of a run: a name, as `load_data` takes it, which serves all placements, or data itself, which needs
/// placement in_process.
class RunData {
 public:
  RunData() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  RunData(std::string name) : name_(std::move(name)) {}
  RunData(const char* name) : name_(name) {}
  RunData(TrainingData data) : data_(std::move(data)) {}
  // NOLINTEND(google-explicit-constructor)

  const std::string& name() const { return name_; }
  const TrainingData& data() const { return data_; }
  bool empty() const { return name_.empty() && !data_.train; }

 private:
  std::string name_;
  TrainingData data_;
};

/// What a run has of data: nothing, one data set, or several, as in `{"fold:1/2:a", "fold:2/2:a"}`.
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

  const std::vector<RunData>& all() const { return all_; }
  /// Whether some are given by value.
  bool has_values() const {
    return std::ranges::any_of(all_, [](const RunData& each) { return each.data().train != nullptr; });
  }

 private:
  std::vector<RunData> all_;
};

/// Where what functions save is kept.
struct RunCheckpoints {
  std::string folder = {};  ///< `checkpoint-000001` and so on in it; empty: in the memory of this process
  int keep = 2;             ///< the last so many stay in the folder
  bool resume = false;      ///< the function goes on from the newest in the folder
};

struct RunOptions {
  RunDatasets dataset = {};
  Callbacks callbacks = {};
  ReportOptions reports = {};
  RunCheckpoints checkpoints = {};
};

/// What the function returned on each rank, in order.
using RunResults = std::vector<TaskResult>;

/// What a worker is like.
struct WorkerInfo {
  int worker = 0;
  int pid = 0;
  std::string node;
  int cpus = 1;
  int gpus = 0;
  std::int64_t memory_bytes = -1;  ///< resident, of its process; -1 where this machine cannot say
  std::string state;               ///< "idle", "running" or "lost"
};

/// Functions on workers, as they run: one after the other gives what they report. Ends them when it goes, and
/// tells callbacks of the end.
class RunHandle {
 public:
  class Impl;
  explicit RunHandle(std::shared_ptr<Impl> impl);
  RunHandle(RunHandle&&) noexcept = default;
  RunHandle& operator=(RunHandle&&) noexcept = default;
  ~RunHandle();

  /// The next report; none when all functions have ended. @throws Error what ends the run
  std::optional<Report> next();
  bool is_finished() const;
  /// What the functions returned, once the run is finished; lets it finish. @throws Error what ended the run
  const RunResults& returns();

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
  Iterator begin() { return Iterator(this); }
  static std::default_sentinel_t end() { return {}; }

 private:
  Impl& impl() const;
  std::shared_ptr<Impl> impl_;
};

/// Workers that run functions: what a Trainer is made of, for those who build something else of it.
class WorkerGroup {
 public:
  /// Starts the workers. @throws Error invalid_argument for what makes no sense, or more cores than there are; or why
  /// one cannot start
  explicit WorkerGroup(TrainerOptions options);
  ~WorkerGroup();
  WorkerGroup(WorkerGroup&&) noexcept;
  WorkerGroup& operator=(WorkerGroup&&) noexcept;

  int size() const;
  const TrainerOptions& options() const;
  std::vector<WorkerInfo> workers() const;
  /// Whether functions and data can be given by value.
  bool takes_values() const;

  /// Runs a function on all workers, as one group, and returns what it returned on each. A function by value needs
  /// placement in_process.
  RunResults execute(const std::string& function, const Json& config = {});
  RunResults execute(const TrainFunction& function, const Json& config = {});
  /// On the worker of rank 0 alone, as a group of one.
  TaskResult execute_single(const std::string& function, const Json& config = {});
  TaskResult execute_single(const TrainFunction& function, const Json& config = {});
  /// Starts it, to be followed. One run at a time.
  RunHandle run(const std::string& function, const Json& config, const RunOptions& options);
  RunHandle run(const TrainFunction& function, const Json& config, const RunOptions& options);
  std::optional<Checkpoint> last_checkpoint() const;

  /// Ends the workers; nothing can be run any more.
  void shutdown();

  class Impl;

 private:
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};
std::ostream& operator<<(std::ostream& out, const WorkerGroup& workers);

/// Runs a training function on workers, and gathers what it reports, saves and returns: the design of Ray's Trainer
/// (RaySGD v2). One thread at a time may use it, not always the same.
///
/// A function that throws ends the run with its error, and the others are asked to stop. Where a worker is lost, the
/// function is called again on all workers there are, with `load_checkpoint` giving what all ranks had acknowledged.
/// Nothing hangs: whoever does not come to a collective, or does not stop, is named in time. In a child made by fork
/// every call throws Error unsupported, and destructors do nothing.
class Trainer {
 public:
  /// Starts the workers. @throws Error as WorkerGroup
  explicit Trainer(TrainerOptions options) : workers_(std::move(options)) {}

  /// Runs a registered function, or one by value in this process, on all workers, and returns what it returned on
  /// each. The second run finds the same workers. @throws Error what a function threw, with worker and node;
  /// worker_lost once max_failures is spent; timeout; invalid_argument for a name that is not registered, which lists
  /// those that are
  template <class Function>
  RunResults run(const Function& function, const Json& config = {}, const RunOptions& options = {}) {
    RunHandle running = run_generator(function, config, options);
    while (running.next()) {
    }
    return running.returns();
  }
  RunResults run(const char* function, const Json& config = {}, const RunOptions& options = {}) {
    return run(std::string(function), config, options);
  }

  /// The same, report by report: `for (auto& report : trainer.run_generator("train")) ...`.
  template <class Function>
  RunHandle run_generator(const Function& function, const Json& config = {}, const RunOptions& options = {}) {
    if constexpr (std::is_convertible_v<const Function&, std::string>)
      return workers_.run(std::string(function), config, options);
    else
      return workers_.run(TrainFunction(function), config, options);
  }
  RunHandle run_generator(const char* function, const Json& config = {}, const RunOptions& options = {}) {
    return workers_.run(std::string(function), config, options);
  }

  /// The last checkpoint that all ranks have acknowledged; a run that begins has none but what it goes on from.
  std::optional<Checkpoint> last_checkpoint() const { return workers_.last_checkpoint(); }

  /// Has each worker make an object of the user's, from `config` where it takes one, which stays there until `shutdown`
  /// or the next `start`. In other processes its class is known by `register_class<T>()`.
  template <class T>
  void start(const Json& config = {});
  /// Calls a function on each worker's object, and returns what it returned on each. By value it takes a `T&`; by name
  /// it was registered by `register_method<T>`.
  template <class T, class F>
  RunResults execute(F function);
  RunResults execute(const std::string& method, const Json& config = {}) { return workers_.execute(method, config); }
  /// On rank 0 alone, as a group of one.
  template <class T, class F>
  TaskResult execute_single(F function);
  TaskResult execute_single(const std::string& method, const Json& config = {}) {
    return workers_.execute_single(method, config);
  }

  /// What each trial of a search runs: this function, on workers of its own like these. @param options data by its
  /// name, how reports are made, how many checkpoints are kept. @throws Error unsupported for data by value and
  /// callbacks
  tune::Trainable to_trainable(const std::string& function, const RunOptions& options = {}) const;

  int num_workers() const { return workers_.size(); }
  WorkerGroup& workers() { return workers_; }
  void shutdown() { workers_.shutdown(); }

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

/// @throws Error invalid_argument where there is none
template <class T>
T& object() {
  const auto* held = std::any_cast<std::shared_ptr<T>>(&here().worker_storage());
  if (held == nullptr)
    throw Error(ErrorCode::invalid_argument, "this worker has no object of that class: Trainer::start makes one");
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

/// Makes a class known to workers in other processes, for `Trainer::start<T>`. Call it before `init`.
template <class T>
void register_class() {
  register_function(detail::name_of_class(typeid(T)), [](const Json& config) { detail::make_object<T>(config); });
}
/// Makes a function known under a name that is called with each worker's object, and with the config where it takes
/// one. Call it before `init`.
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
