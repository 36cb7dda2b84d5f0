#include "troupe/task_context.hpp"

#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

#include "actors/callbacks/callback_list.hpp"
#include "actors/functions/bundle.hpp"
#include "actors/functions/surroundings.hpp"
#include "collectives/mpi/join_mpi.hpp"
#include "runtime/clock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/traffic.hpp"
#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/log.hpp"

namespace troupe {
namespace {

/// The context (`here()`) of code that runs outside a trainer, either as a single rank or as one of the ranks that
/// mpirun started. Passes reports and checkpoints to the callbacks of the `StandaloneContext`, if there is one.
class NobodyElse : public Surroundings {
 public:
  explicit NobodyElse(StandaloneContext::Options options = {})
      : Surroundings(placing_of(options)),
        callbacks_(std::move(options.callbacks)),
        begun_from_(std::move(options.checkpoint)),
        iterations_(begun_from_ ? begun_from_->iteration : 0) {
    if (!options.backend.empty()) join(options);
  }

  void report(const Json& metrics) override { callbacks_.report({++iterations_, watch_.seconds(), metrics}); }
  void save(Checkpoint checkpoint) override {
    last_ = of_first_rank(std::move(checkpoint));
    last_->number = ++saved_;
    last_->iteration = iterations_;
    callbacks_.checkpoint({saved_, "", iterations_});
  }
  std::optional<Checkpoint> load() override { return begun_from_; }
  std::optional<Checkpoint> last() const { return last_ ? last_ : begun_from_; }
  bool should_stop() const override { return callbacks_.wants_to_stop(); }
  std::any& worker_storage() override { return storage_; }

  void start() {
    callbacks_.start({.name = "alone",
                      .world_size = placing_.world_size,
                      .config = placing_.config,
                      .resumed = begun_from_.has_value()});
  }
  void end(const std::string& how, bool failed) {
    group_.communicator()->leave(ErrorCode::model_failed, how);
    if (failed) callbacks_.failure(Error(ErrorCode::model_failed, "the function " + how));
    callbacks_.close({watch_.seconds(), iterations_, failed});
  }

 private:
  static Placing placing_of(const StandaloneContext::Options& options) {
    Placing placing;
    placing.node = "in-process";
    placing.seed = options.seed;
    placing.config = options.config.is_null() ? Json::object() : options.config;
    if (options.dataset.train && !options.datasets.empty()) throw_invalid("set either dataset or datasets, not both");
    placing.datasets = options.datasets;
    if (options.dataset.train) placing.datasets = {options.dataset};
    for (const TrainingData& each : placing.datasets)
      if (!each.train) throw_invalid("one of the datasets has no training set");
    return placing;
  }

  void join(const StandaloneContext::Options& options) {
    if (options.backend != "mpi")
      throw_invalid("backend is '" + options.backend + "'; outside of a trainer it must be mpi or empty");
    if (options.collective_timeout.count() <= 0) throw_invalid("collective_timeout must be above 0");
    const MpiRank rank = join_mpi(options.collective_timeout);
    group_ = Group(rank.communicator);
    placing_.rank = group_.rank();
    placing_.world_size = group_.size();
    placing_.local_rank = rank.local_rank;
    placing_.node = rank.node;
  }

  /// Sends the checkpoint of rank 0 to all other ranks, and returns it on every rank. Every rank must call this
  /// function.
  /// @param checkpoint the checkpoint to send; ignored on ranks other than 0
  Checkpoint of_first_rank(Checkpoint checkpoint) {
    if (group_.size() == 1) return checkpoint;
    std::string bytes = group_.rank() == 0 ? to_bytes(checkpoint) : "";
    std::int64_t length = static_cast<std::int64_t>(bytes.size());
    group_.broadcast(std::span(&length, 1));
    constexpr std::size_t kWord = sizeof(std::int64_t);
    std::vector<std::int64_t> words((static_cast<std::size_t>(length) + kWord - 1) / kWord);
    if (length > 0 && group_.rank() == 0) std::memcpy(words.data(), bytes.data(), bytes.size());
    group_.broadcast(std::span(words));
    return checkpoint_from({reinterpret_cast<const char*>(words.data()), static_cast<std::size_t>(length)});
  }

  CallbackList callbacks_;
  std::optional<Checkpoint> begun_from_;
  std::optional<Checkpoint> last_;  ///< the last checkpoint that `save` stored
  std::int64_t iterations_;
  Stopwatch watch_;
  std::int64_t saved_ = 0;
  std::any storage_;
};

std::shared_ptr<TaskContext>& shown() {
  thread_local std::shared_ptr<TaskContext> here = std::make_shared<TaskContext>(std::make_shared<NobodyElse>());
  return here;
}

}  // namespace

ShownHere::ShownHere(std::shared_ptr<Surroundings> surroundings)
    : before_(std::exchange(shown(), std::make_shared<TaskContext>(std::move(surroundings)))) {}
ShownHere::~ShownHere() { shown() = std::move(before_); }

TaskContext& here() { return *shown(); }

TaskContext::TaskContext(std::shared_ptr<Surroundings> surroundings) : surroundings_(std::move(surroundings)) {}

int TaskContext::rank() const { return surroundings_->placing().rank; }
int TaskContext::local_rank() const { return surroundings_->placing().local_rank; }
int TaskContext::world_size() const { return surroundings_->placing().world_size; }
std::string TaskContext::node() const { return surroundings_->placing().node; }
const std::vector<int>& TaskContext::devices() const { return surroundings_->placing().devices; }
int TaskContext::device() const { return devices().empty() ? -1 : devices().front(); }
bool TaskContext::in_worker() const { return surroundings_->placing().in_worker; }
int TaskContext::attempt() const { return surroundings_->placing().attempt; }
std::uint64_t TaskContext::seed() const { return surroundings_->placing().seed; }
const Json& TaskContext::config() const { return surroundings_->placing().config; }
Group& TaskContext::group() const { return surroundings_->group(); }
bool TaskContext::should_stop() const {
  surroundings_->check_owner();
  return surroundings_->should_stop();
}
RemoteTraffic TaskContext::remote_traffic() const { return troupe::remote_traffic(); }
std::any& TaskContext::worker_storage() const { return surroundings_->worker_storage(); }
std::optional<Checkpoint> TaskContext::load_checkpoint() const { return surroundings_->load(); }

RunDataset TaskContext::dataset(int number) const {
  const Placing& placing = surroundings_->placing();
  if (placing.datasets.empty())
    throw_invalid("this run has no data: set RunOptions::dataset or StandaloneContext::Options::dataset");
  if (number < 0 || number >= num_datasets())
    throw_invalid("there is no data set " + std::to_string(number) + "; the run has " + std::to_string(num_datasets()) +
                  ", counted from 0");
  return {placing.datasets[static_cast<std::size_t>(number)], placing.rank, placing.world_size, placing.seed};
}

int TaskContext::num_datasets() const { return static_cast<int>(std::ssize(surroundings_->placing().datasets)); }

void TaskContext::report(const Json& metrics) const {
  if (!metrics.is_object()) throw_invalid("reported metrics must be an object, such as {{\"loss\", 0.1}}");
  surroundings_->check_owner();
  check_depth(metrics, "a report");
  surroundings_->report(metrics);
}

void TaskContext::save_checkpoint(const Json& state, const NamedTensors& tensors,
                                  const std::vector<std::string>& files) const {
  surroundings_->check_owner();
  Checkpoint checkpoint;
  if (rank() == 0) {
    check_depth(state, "a checkpoint's state");
    checkpoint.state = state;
    checkpoint.tensors = tensors;
    for (const std::string& path : files) {
      const std::string name = std::filesystem::path(path).filename().string();
      if (!is_file_name(name)) throw_invalid("a checkpoint cannot hold a file named '" + name + "'");
      if (!checkpoint.files.emplace(name, InputFile(path).read_text()).second)
        throw_invalid("two files of a checkpoint are named '" + name + "'");
    }
  }
  surroundings_->save(std::move(checkpoint));
}

StandaloneContext::StandaloneContext(Options options) : exceptions_(std::uncaught_exceptions()) {
  auto surroundings = make_owned_here<NobodyElse>(std::move(options));
  surroundings->start();
  surroundings_ = surroundings;
  before_ = std::exchange(shown(), std::make_shared<TaskContext>(surroundings_));
}

StandaloneContext::~StandaloneContext() {
  shown() = std::move(before_);
  if (!surroundings_->owner().is_this()) return;
  const bool threw = std::uncaught_exceptions() > exceptions_;
  try {
    static_cast<NobodyElse&>(*surroundings_)
        .end(threw ? "was left by an exception" : "has returned from its function", threw);
  } catch (const std::exception& error) {
    log_line(LogLevel::warning, std::string("the end of a function could not be reported: ") + error.what());
  }
}

std::optional<Checkpoint> StandaloneContext::last_checkpoint() const {
  return static_cast<const NobodyElse&>(*surroundings_).last();
}

}  // namespace troupe
