#pragma once

// The context of a function that runs on a worker: rank, data, collectives, reports and checkpoints.
//
//    void train() {
//      auto& at = troupe::here();
//      const auto shard = at.dataset().shard();
//      for (int epoch = 0; epoch < 3 && !at.should_stop(); ++epoch) at.report({{"epoch", epoch}, {"loss",
//      loss(shard)}});
//    }

#include <any>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/callback.hpp"
#include "troupe/data.hpp"
#include "troupe/group.hpp"
#include "troupe/json.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// A tensor of floats with a name. Its values are row-major.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape = {};
  std::vector<float> values = {};
};
/// A list of tensors. The order is kept.
using NamedTensors = std::vector<NamedTensor>;

/// The result of a function on a worker: JSON, named tensors, or both.
struct TaskResult {
  Json json = {};
  NamedTensors tensors = {};
};

/// A checkpoint of a function that runs on workers; see TaskContext::save_checkpoint.
struct Checkpoint {
  Json state = {};
  NamedTensors tensors = {};
  /// Contents of the files in the checkpoint, by file name without folder.
  std::map<std::string, std::string> files = {};
  /// Number of the checkpoint within the run, from 1 on.
  std::int64_t number = 0;
  /// Number of reports that rank 0 had made before it saved the checkpoint.
  std::int64_t iteration = 0;
};

/// A batch of samples. In each member, samples lie one after the other.
struct Samples {
  std::int64_t count = 0;
  /// DataInfo::sample_size() floats for each sample, row-major.
  std::vector<float> values = {};
  /// DataInfo::labels_per_sample labels for each sample, usually one. A label of a sequence may be kIgnoredLabel. Empty
  /// for data with targets.
  std::vector<std::int32_t> labels = {};
  /// DataInfo::num_targets floats for each sample. Empty for data with classes.
  std::vector<float> targets = {};
};

class ShardBatches;

/// The samples of a data set that belong to one rank, as for a shard of BatchSampler: the samples `rank`, `rank +
/// size`, `rank + 2 * size`, and so on; or, for data with parts, whole parts. A model of your own can read the batches
/// of a shard with a DataShard: `DataShard(data.train, at.shard, at.num_shards, at.seed).batch(at.step, 64)`. Make one
/// DataShard for each shard. Thread-safe.
class DataShard {
 public:
  /// Makes the view of one rank.
  /// @param source the whole data set.
  /// @param rank number of the rank or shard, from 0 on.
  /// @param size number of ranks or shards.
  /// @param seed for the order of samples and for random transforms.
  /// @param trains if false, random transforms are not applied.
  DataShard(std::shared_ptr<const DataSource> source, int rank, int size, std::uint64_t seed, bool trains = true);

  /// Returns the number of samples of this rank.
  std::int64_t num_samples() const;
  /// Returns the description of the whole data set.
  const DataInfo& info() const { return source_->info(); }
  /// Returns the number of batches until the largest shard has used each of its samples once. The number is the same on
  /// all ranks.
  std::int64_t batches_per_epoch(std::int64_t batch_size) const;
  /// Returns the samples of the batch `number`. Batches are counted from 0 over all epochs. Each epoch has another
  /// order, drawn from the seed. The last batches of an epoch may have fewer samples than `batch_size`, or no samples,
  /// if other ranks have more samples.
  Samples batch(std::int64_t number, std::int64_t batch_size) const;
  /// Returns the batches of an epoch, for a loop: `for (const Samples& batch : shard.batches(64)) ...`. They are those
  /// of `batch`. If reading samples takes long (DataInfo::slow), other threads read batches ahead of the loop.
  /// @param epoch number of the epoch, from 0 on; each epoch has another order.
  /// @throws Error invalid_argument if an argument is out of range; bad_data if the samples have neither classes nor
  /// targets.
  ShardBatches batches(std::int64_t batch_size, std::int64_t epoch = 0) const;
  /// Returns all samples of this rank, in order.
  Samples all() const;

 private:
  class Order;  // the order of samples, drawn once for each epoch

  Samples read(std::span<const std::int64_t> numbers, std::int64_t epoch) const;

  std::shared_ptr<const DataSource> source_;
  std::shared_ptr<Order> order_;
  int rank_, size_;
  std::uint64_t seed_;
  bool trains_;
};

/// The batches of one epoch of a DataShard; see DataShard::batches. For one loop, in one thread.
class ShardBatches {
 public:
  /// Goes over the batches, as long as the ShardBatches exists. Reads a batch when it is dereferenced.
  class Iterator {
   public:
    Iterator(const ShardBatches& of, std::int64_t number) : of_(&of), number_(number) {}

    Samples operator*() const { return of_->read(number_); }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    const ShardBatches* of_;
    std::int64_t number_;
  };

  Iterator begin() const { return {*this, first_}; }
  Iterator end() const { return {*this, end_}; }

 private:
  friend class DataShard;
  using Read = std::function<Samples(std::int64_t number)>;

  ShardBatches(Read read, std::int64_t first, std::int64_t end) : read_(std::move(read)), first_(first), end_(end) {}
  Samples read(std::int64_t number) const { return read_(number); }

  Read read_;
  std::int64_t first_, end_;
};

/// A data set of a run (training set and optional test and validation sets), from the view of one rank.
class RunDataset {
 public:
  /// Makes the view that rank `rank` of `size` ranks has of `data`.
  RunDataset(TrainingData data, int rank, int size, std::uint64_t seed)
      : data_(std::move(data)), rank_(rank), size_(size), seed_(seed) {}

  /// Returns the whole data set, which models need.
  const TrainingData& data() const { return data_; }
  /// Returns the part of the training set that belongs to this rank.
  DataShard shard() const { return {data_.train, rank_, size_, seed_}; }
  /// Returns the part of the validation set that belongs to this rank.
  /// @throws Error invalid_argument if there is no validation set.
  DataShard validation_shard() const;
  /// Returns the part of the test set that belongs to this rank.
  /// @throws Error invalid_argument if there is no test set.
  DataShard test_shard() const;

  /// Divides the training set into `folds` folds for a cross-validation, and returns one data set for each fold. In
  /// each, this fold is the validation set, and the other folds together are the training set. The folds depend only on
  /// the data and on `folds`. They are identical to those of load_data with "fold:1/k:NAME" and so on, where k is
  /// `folds`.
  /// @throws Error invalid_argument if `folds` is below 2 or above the number of training samples.
  std::vector<RunDataset> to_cv(int folds) const;

 private:
  TrainingData data_;
  int rank_, size_;
  std::uint64_t seed_;
};

class Surroundings;  // implements TaskContext

/// The context in which a function runs. In a worker of a Trainer, it is the context of one rank of the run. In any
/// other thread, it is the context of rank 0 of 1. Copies refer to the same context. `here()` returns the context of
/// the calling thread. So if a function starts a thread, the function must pass a copy of its context to this thread.
class TaskContext {
 public:
  /// Only Troupe calls this constructor.
  explicit TaskContext(std::shared_ptr<Surroundings> surroundings);

  /// Returns the number of the calling rank, from 0 on.
  int rank() const;
  /// Returns the number of the calling rank among the ranks of its machine, from 0 on.
  int local_rank() const;
  /// Returns the number of ranks.
  int world_size() const;
  /// Returns the place where the function runs: "in-process", "pid N", or the name of a node of a cluster.
  std::string node() const;
  /// Returns the numbers of the CUDA devices that belong to the calling rank (TrainerOptions::gpus_per_worker), as in
  /// ComputeOptions::device_number. No two ranks of a machine have the same device. Empty: the rank computes on CPUs.
  const std::vector<int>& devices() const;
  /// Returns the first of `devices`, on which `accelerate` makes models; -1 if there are none.
  int device() const;
  /// Returns true if a Trainer runs the calling function.
  bool in_worker() const;
  /// Returns 1 in the first call of the function in a run. The number increases with each call that a loss of workers
  /// causes.
  int attempt() const;
  /// Returns the seed of the run.
  std::uint64_t seed() const;
  /// Returns the config of the run: the argument of Trainer::run.
  const Json& config() const;
  /// Returns a data set of the run, from the view of the calling rank.
  /// @param number number of the data set, from 0 on.
  /// @throws Error invalid_argument if the run has no such data set.
  RunDataset dataset(int number = 0) const;
  /// Returns the number of data sets of the run.
  int num_datasets() const;

  /// Returns the group of all ranks, for collectives. The members all_reduce, reduce_scatter, all_gather, broadcast and
  /// barrier call the collectives of this group.
  Group& group() const;
  template <Element T, std::size_t N>
  void all_reduce(std::span<T, N> values, ReduceOp op = ReduceOp::sum, CallPlace at = CallPlace::current()) const {
    group().all_reduce(values, op, at);
  }
  template <Element T>
  T all_reduce(T value, ReduceOp op = ReduceOp::sum, CallPlace at = CallPlace::current()) const {
    return group().all_reduce(value, op, at);
  }
  template <Element T, std::size_t N, std::size_t M>
  void reduce_scatter(std::span<const T, N> in, std::span<T, M> part, ReduceOp op = ReduceOp::sum,
                      CallPlace at = CallPlace::current()) const {
    group().reduce_scatter(in, part, op, at);
  }
  template <Element T, std::size_t N, std::size_t M>
  void all_gather(std::span<const T, N> part, std::span<T, M> all, CallPlace at = CallPlace::current()) const {
    group().all_gather(part, all, at);
  }
  template <Element T, std::size_t N>
  void broadcast(std::span<T, N> values, int root = 0, CallPlace at = CallPlace::current()) const {
    group().broadcast(values, root, at);
  }
  void barrier(CallPlace at = CallPlace::current()) const { group().barrier(at); }

  /// Sends metrics to the program that runs the trainer. `metrics` is an object; values are numbers or any other JSON,
  /// nested at most 100 levels deep. The call returns before the program has received the metrics, with two exceptions.
  /// It blocks while 64 MB or more of this rank's reports have not been received. With ReportOptions::awaited, it
  /// blocks until the trainer has handled the report.
  /// @throws Error invalid_argument if `metrics` is not an object or is nested too deeply.
  void report(const Json& metrics) const;

  /// Saves a checkpoint to restart from. All ranks must call save_checkpoint the same number of times. The trainer
  /// stores the checkpoint of rank 0, once every rank has made the same number of calls. A call blocks until the
  /// trainer has received it; once it has returned on every rank, the checkpoint is stored. If some ranks never call
  /// save_checkpoint, the run ends with an Error invalid_argument that names these ranks. The error occurs at the end
  /// of the run, or when another rank has made 16 calls.
  /// @param state JSON, nested at most 100 levels deep.
  /// @param tensors named tensors to store.
  /// @param files paths of files on this machine; their contents are stored.
  /// @throws Error bad_file if a file cannot be read.
  /// @throws Error invalid_argument if two files have the same name.
  void save_checkpoint(const Json& state, const NamedTensors& tensors = {},
                       const std::vector<std::string>& files = {}) const;
  /// Returns the checkpoint from which the function must start: the last checkpoint that all ranks had acknowledged
  /// before the function was called. The checkpoint belongs to this run, or to the run that this run resumes. Returns
  /// an empty optional if there is none. If the function itself saves a checkpoint, load_checkpoint returns this
  /// checkpoint only in a later call of the function.
  std::optional<Checkpoint> load_checkpoint() const;

  /// Returns what it took to read data from servers, in all threads of this rank's process since its start.
  RemoteTraffic remote_traffic() const;

  /// Returns true if the function should return soon, because a callback wants to stop the run or another rank has
  /// failed.
  bool should_stop() const;

  /// Returns a variable for a value of any type, which belongs to this worker. The value is kept between runs, until
  /// the trainer ends.
  std::any& worker_storage() const;

 private:
  std::shared_ptr<Surroundings> surroundings_;
};

/// Returns the context of the function that the calling thread runs. Outside a function of a Trainer, it is the context
/// of rank 0 of 1.
TaskContext& here();

/// A context for functions that run outside a trainer. While an object of this class exists, `here()` returns its
/// context in the thread that made the object. The function is rank 0 of 1. With backend "mpi", the function is one of
/// the ranks that mpirun has started instead; each rank makes one StandaloneContext with the same options.
///
/// ```cpp
/// const troupe::StandaloneContext context({.config = {{"lr", 0.1}}, .dataset = data});
/// train();
/// ```
class StandaloneContext {
 public:
  struct Options {
    /// The result of TaskContext::config.
    Json config = {};
    /// The data set that TaskContext::dataset returns, if there is one.
    TrainingData dataset = {};
    /// The data sets that TaskContext::dataset returns, if there are several. Must be empty if `dataset` is given.
    std::vector<TrainingData> datasets = {};
    /// The callbacks receive the reports of this rank and may ask its function to stop.
    Callbacks callbacks = {};
    /// The checkpoint that TaskContext::load_checkpoint returns. Empty (default): no checkpoint.
    std::optional<Checkpoint> checkpoint = {};
    /// The result of TaskContext::seed.
    std::uint64_t seed = 1;
    /// Backend of collectives: "mpi", or empty (default) for a single rank.
    std::string backend = {};
    /// With backend "mpi": a rank that has not called a collective after this time counts as missing.
    std::chrono::milliseconds collective_timeout = std::chrono::seconds(60);
  };
  /// Makes a context with default options.
  StandaloneContext() : StandaloneContext(Options()) {}
  /// Makes a context. With backend "mpi", blocks until all ranks have called the constructor.
  /// @throws Error invalid_argument for an unknown backend or contradictory options.
  /// @throws Error unsupported if this build has no MPI.
  /// @throws Error timeout if not all ranks call the constructor within `collective_timeout`.
  explicit StandaloneContext(Options options);
  /// Removes this rank from the group without waiting for the other ranks, which get an error in their next collective.
  ~StandaloneContext();
  StandaloneContext(const StandaloneContext&) = delete;
  StandaloneContext& operator=(const StandaloneContext&) = delete;

  /// Returns the checkpoint that the function saved last. If it saved none, returns Options::checkpoint.
  std::optional<Checkpoint> last_checkpoint() const;

 private:
  std::shared_ptr<Surroundings> surroundings_;
  std::shared_ptr<TaskContext> before_;
  int exceptions_;  ///< uncaught exceptions at the time of construction
};

}  // namespace troupe
