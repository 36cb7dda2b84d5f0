#pragma once

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

namespace troupe {

/// A tensor of floats, row-major.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape = {};
  std::vector<float> values = {};
};
using NamedTensors = std::vector<NamedTensor>;

/// What a function returns on a worker: JSON, or named tensors, or both.
struct TaskResult {
  Json json = {};
  NamedTensors tensors = {};
};

/// What a function goes on from.
struct Checkpoint {
  Json state = {};
  NamedTensors tensors = {};
  std::map<std::string, std::string> files = {};  ///< their content, by name without folders
  std::int64_t number = 0;                        ///< of the run's checkpoints, from 1 on
  std::int64_t iteration = 0;                     ///< how often each rank had reported before
};

/// Some samples, one after the other.
struct Samples {
  std::int64_t count = 0;
  std::vector<float> values = {};         ///< DataInfo::sample_size() each, row-major
  std::vector<std::int32_t> labels = {};  ///< one each; empty for data with targets
  std::vector<float> targets = {};        ///< DataInfo::num_targets each; empty for data with classes
};

/// The samples of a set that are one rank's: rank, rank + size, rank + 2 size, ... as of a BatchSampler's shard. A
/// model of one's own takes its batches so, too: `DataShard(data.train, at.shard, at.num_shards,
/// at.seed).batch(at.step, 64)`, made once a shard.
class DataShard {
 public:
  /// @param trains whether transforms do what is random to samples
  DataShard(std::shared_ptr<const DataSource> source, int rank, int size, std::uint64_t seed, bool trains = true);

  /// Of this rank.
  std::int64_t num_samples() const;
  const DataInfo& info() const { return source_->info(); }
  /// Batches until the largest shard has seen its samples once: the same number on all ranks.
  std::int64_t batches_per_epoch(std::int64_t batch_size) const;
  /// The samples of a batch, counted from 0 over all epochs; each epoch has another order, drawn from the seed. The
  /// last batches of an epoch may be short, and empty where other ranks have one sample more.
  Samples batch(std::int64_t number, std::int64_t batch_size) const;
  /// All of this rank's, in order.
  Samples all() const;

 private:
  class Order;  // in which batches take the samples, drawn once an epoch

  Samples read(std::span<const std::int64_t> numbers, std::int64_t epoch) const;

  std::shared_ptr<const DataSource> source_;
  std::shared_ptr<Order> order_;
  int rank_, size_;
  std::uint64_t seed_;
  bool trains_;
};

/// Data of a run.
class RunDataset {
 public:
  RunDataset(TrainingData data, int rank, int size, std::uint64_t seed)
      : data_(std::move(data)), rank_(rank), size_(size), seed_(seed) {}

  /// All of it, as models take it.
  const TrainingData& data() const { return data_; }
  /// This rank's part of the training samples.
  DataShard shard() const { return {data_.train, rank_, size_, seed_}; }
  /// This rank's part of the validation set, and of the test set. @throws Error invalid_argument where there is none
  DataShard validation_shard() const;
  DataShard test_shard() const;

  /// The folds of a cross-validation: of each, its samples are the validation set, and the rest of the training set is
  /// the training set. They depend on the data and their number alone, and are those of the data named "fold:1/k:NAME"
  /// and so on (load_data). @throws Error invalid_argument for fewer than 2, or more than there are training samples
  std::vector<RunDataset> to_cv(int folds) const;

 private:
  TrainingData data_;
  int rank_, size_;
  std::uint64_t seed_;
};

class Surroundings;  // what a function runs in

/// What a function sees of where it runs: a worker of a Trainer, or any other place, where it is rank 0 of 1. Copies
/// show the same; a thread that the function starts takes one with it, since `here()` is the calling thread's.
class TaskContext {
 public:
  explicit TaskContext(std::shared_ptr<Surroundings> surroundings);

  int rank() const;
  int local_rank() const;  ///< among the ranks of this machine
  int world_size() const;
  std::string node() const;    ///< "in-process", "pid N", or the name of a cluster's node
  bool in_worker() const;      ///< whether a Trainer runs this function
  int attempt() const;         ///< 2 and so on where the function was called again after a loss
  std::uint64_t seed() const;  ///< of the run
  const Json& config() const;  ///< what `run` was given
  /// @param number of the run's data sets, from 0 on. @throws Error invalid_argument where the run has none of it
  RunDataset dataset(int number = 0) const;
  int num_datasets() const;

  /// All ranks, for collectives.
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

  /// Tells whoever runs the trainer some metrics: an object of numbers, or whatever else JSON has, up to 100 levels
  /// deep, as in checkpoints and what functions return. Returns at once; it waits only where 64 MB of reports have not
  /// been taken. @throws Error invalid_argument for what is no object
  void report(const Json& metrics) const;

  /// What the function goes on from if it is called again: rank 0's is kept once all ranks have called this as often,
  /// and has been once this has returned on all. Waits until whoever runs the trainer has taken it.
  /// Where some ranks never call it the run ends with Error invalid_argument that names them: at its end, or when
  /// another has called it 16 times.
  /// @param files paths of files of this machine, of which the content is kept
  /// @throws Error bad_file for a file that cannot be read
  void save_checkpoint(const Json& state, const NamedTensors& tensors = {},
                       const std::vector<std::string>& files = {}) const;
  /// What this call of the function began from: the last one that all ranks had acknowledged by then, in this run or
  /// one that it goes on from. What this call saves a later one loads.
  std::optional<Checkpoint> load_checkpoint() const;

  /// Whether the function is to come to an end: a callback wants it, or another rank has failed.
  bool should_stop() const;

  /// Something that stays with this worker from one run to the next, until the trainer ends.
  std::any& worker_storage() const;

 private:
  std::shared_ptr<Surroundings> surroundings_;
};

/// What the calling thread's function runs in.
TaskContext& here();

/// While it lives, `here()` of this thread shows this to functions that are called outside a trainer: as rank 0 of 1,
/// or with backend "mpi" as a rank of those that mpirun started, each of which makes one, with the same options.
class StandaloneContext {
 public:
  struct Options {
    Json config = {};
    TrainingData dataset = {};
    std::vector<TrainingData> datasets = {};  ///< in its place, where there are several
    Callbacks callbacks = {};                 ///< are told what this rank reports, and may ask its function to stop
    std::optional<Checkpoint> checkpoint = {};
    std::uint64_t seed = 1;
    std::string backend = {};                                                 ///< of collectives: "mpi", or empty
    std::chrono::milliseconds collective_timeout = std::chrono::seconds(60);  ///< as TrainerTimeouts::collective
  };
  StandaloneContext() : StandaloneContext(Options()) {}
  /// Returns when all ranks have come. @throws Error invalid_argument for another backend, unsupported where this build
  /// has no MPI, timeout, or what MPI says
  explicit StandaloneContext(Options options);
  /// The other ranks are told that this one comes no more; it waits for nobody.
  ~StandaloneContext();
  StandaloneContext(const StandaloneContext&) = delete;
  StandaloneContext& operator=(const StandaloneContext&) = delete;

  /// What the function saved last; before that what it began from.
  std::optional<Checkpoint> last_checkpoint() const;

 private:
  std::shared_ptr<Surroundings> surroundings_;
  std::shared_ptr<TaskContext> before_;
  int exceptions_;  ///< under way when this began
};

}  // namespace troupe
