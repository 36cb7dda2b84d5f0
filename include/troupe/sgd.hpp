#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/algorithms.hpp"
#include "troupe/error.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"
#include "troupe/report.hpp"
#include "troupe/strategy.hpp"

namespace troupe {

class Callback;  // callback.hpp

/// Call it in main as soon as models and the like are registered. A process that was started as a worker runs here and
/// never returns, and so does one that serves as a node, because its arguments hold `--troupe-join` and
/// `--troupe-certs`; in the user's own process it notes that workers can be started, which placement `processes` needs.
/// Raises this process's soft limit on open files to its hard one.
///
/// A worker process, and the process in which a node serves a run, are this program again, with the arguments that it
/// was started with itself, whatever has become of `argv` since: flags that are read before `init` are read there, too,
/// and models see the same everywhere. Code before `init` runs in each of them, so it should register and read
/// arguments, and neither print nor start anything. A parser that refuses what it does not know comes behind `init`, or
/// leaves `--troupe-...` alone, where the program is to serve as a node.
/// @throws Error invalid_argument for a `--troupe-...` argument it does not know.
void init(int argc, char** argv);

enum class Placement : std::uint8_t {
  in_process,  ///< workers are actors on threads of this process
  processes,   ///< each worker is a process of this machine, started from this program's file
  cluster,     ///< workers are actors in processes of other machines, the nodes, which dial this one and join
};

/// Where nodes join. Both sides show certificates of one private authority (`troupe certs`), over TLS 1.3; without
/// them nothing is listened to.
struct ClusterOptions {
  std::string listen = {};  ///< "ADDRESS:PORT" of this machine that nodes dial
  int num_nodes = 1;        ///< the run begins when so many have joined; workers are dealt to them evenly, in order
  int min_nodes = 0;        ///< with so many it begins, too, when start_timeout is over; 0: with num_nodes only
  std::string certs = {};   ///< folder with ca.pem, cert.pem and key.pem, of role driver, and perhaps crl.pem
  int streams = 1;          ///< data connections from each node to each other
  bool shared_certificates =
      false;  ///< whether several nodes may show the same one; else each has one place in the run
};

/// Which checkpoint stays beside the last ones, by the metric that DistributedSGD::checkpoint was told; of equals the
/// first.
enum class KeepBest : std::uint8_t { none, highest, lowest };

/// Checkpoints of a run while it goes on: `step-00001234` and so on in one folder, as DistributedSGD::save_state writes
/// them, but in the background. Steps do not wait for the disk. One run at a time writes to a folder.
struct CheckpointOptions {
  std::string folder = {};             ///< made where there is none; empty: no checkpoints
  std::int64_t every_steps = 0;        ///< after each so many steps; 0: not by steps
  std::chrono::milliseconds every{0};  ///< after the step that ends so long after the last was due; 0: not by time
  int keep = 3;                        ///< the last so many stay
  KeepBest keep_best = KeepBest::none;
};

/// How many workers a run has: a number, or a range within which they come and go between steps. A run with a range
/// begins with as many workers as there are usable cores, follows these when they become more or fewer, and goes on
/// without workers that keep dying.
struct WorkerCount {
  int min = 1;
  int max = 1;  ///< 0: as many as there are shards for, whose number has to be told then

  WorkerCount() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a count
  WorkerCount(int number) : min(number), max(number) {}
  WorkerCount(int least, int most) : min(least), max(most) {}
  bool is_range() const { return min != max; }
};

/// What becomes of the shards of a worker that was lost.
enum class Restart : std::uint8_t {
  respawn,       ///< a fresh worker has them
  redistribute,  ///< the others have them from then on, down to num_workers.min, or to one without a range
};

/// What a run is to be. A member whose values are few is an enum; what users can add to, by registering it, goes by its
/// name.
struct Options {
  WorkerCount num_workers = 1;
  int devices_per_worker = 1;  ///< replicas. On CPUs, those beyond the cores that a worker can count on (usable cores
                               ///< / workers, at least 1) compute one after the other
  bool use_cpus = true;        ///< false asks for accelerators: CUDA devices, in programs that link troupe::cuda
  int accelerator = -1;        ///< without use_cpus: the one of a machine's that all its replicas share, from 0 on by
                               ///< PCI id; -1: they are dealt to all of them in turn
  bool tf32 = false;           ///< without use_cpus, in f32: products may round their factors to TensorFloat-32,
                               ///< whose mantissa has 10 bits, and so be faster
  Placement placement = Placement::in_process;
  Algorithm algorithm = Synchronous();  ///< what a step is
  Strategy strategy = Strategy::automatic;
  bool deterministic = true;  ///< keep the order of additions that makes all strategies and placements give the
                              ///< same bits; false lets nodes add in the order of the ring
  int parameter_servers = 0;  ///< nodes that own slices under Strategy::parameter_server; 0: all
  int num_shards = 0;         ///< data shards of the run; 0: num_workers.max x devices_per_worker
  std::uint64_t seed = 1;
  OptimizerOptions optimizer = {};
  Precision precision = Precision::f32;  ///< bf16: where model and device have it; see DistributedSGD::precision
  bool precision_check = true;           ///< with bf16: layers of the model are measured at the start, and the run
                                         ///< computes in f32 where that is clearly faster. false: in bf16 all the same
  ClusterOptions cluster = {};           ///< for placement `cluster`
  std::string config = {};               ///< handed to the creator as it is
  bool verbose = true;                   ///< `step()` prints the time of each phase to standard output, and a line in
                                         ///< the log (log.hpp) says where bf16 is asked for and f32 computed
  /// How long calls wait for workers; late ones are then replaced. This one is of `step` and `warmup`, and with
  /// "lbfgs" of each round and evaluation in them. A call that finds workers lost first replaces them, within
  /// start_timeout.
  std::chrono::milliseconds step_timeout = std::chrono::seconds(60);
  std::chrono::milliseconds start_timeout = std::chrono::seconds(60);     ///< for workers to start and build models
  std::chrono::milliseconds evaluate_timeout = std::chrono::minutes(10);  ///< of `evaluate`
  std::chrono::milliseconds save_timeout = std::chrono::seconds(60);  ///< for each vector of the state that is fetched
                                                                      ///< or placed, as by save, load and checkpoints
  std::chrono::milliseconds call_timeout =
      std::chrono::minutes(10);  ///< of functions beside replicas and workers, with what they take and return
  /// A worker process or node that is waited for and shows no sign of life for so long is told of in the log,
  /// and then ended, and so lost. At least 500 ms, or 0: never, as for debuggers, which stop processes. Time in which
  /// this process does not run itself is not counted.
  std::chrono::milliseconds suspect_after = std::chrono::seconds(1);
  std::chrono::milliseconds cut_after = std::chrono::seconds(5);
  int max_failures = 10;  ///< workers or nodes lost within an hour that calls make good by themselves and go on,
                          ///< waiting longer each time; the next one is an Error worker_lost that tells of all, or,
                          ///< where num_workers is a range, a worker less. 0: each is
  Restart restart = Restart::respawn;
  /// So many workers may be left out of a step that take longer than the others by a quarter: the worker behind each
  /// computes its shards, too, and does its part; a late one takes part again once it has answered. The bits stay.
  /// 0 to 8, and less than num_workers.max; on one machine. Costs a second slab for each shard's gradient and a buffer
  /// of the state for each of these workers. A replica's ReplicaContext::shards are those of both workers then.
  int backup_workers = 0;
  /// What is to go wrong on purpose, for tests of what follows: parts between semicolons. With placement `processes` of
  /// the form "kill worker 2 at step 5 phase apply" (or "stop": it does not answer any more; or "slow 10x": from then
  /// on it runs a tenth of the time; the phase is "compute" unless told), or "random 100 kills of steps 10-500 seed 7",
  /// or "random slow 5x of steps 10-500 seed 7": in each of these steps another worker. With placement `cluster` "cut
  /// node 1 at step 5": nodes, in order of name, are 0 and so on, and driver and node hear nothing of each other any
  /// more. Each happens once, when the phase begins. With any placement "full disk at step 5": the first checkpoint
  /// begun after that step, or a later one, finds no space.
  std::string faults = {};
  CheckpointOptions checkpoint = {};
  std::string resume_from = {};  ///< folder of checkpoints: the run begins with the newest that verifies, or from the
                                 ///< beginning where there is none. num_shards 0 is then the checkpoint's. What does
                                 ///< not verify is told in the log and, in `checkpoint.folder`, renamed
  bool reshard = false;          ///< checkpoints of another number of shards are taken, too. They go on with batches,
                                 ///< and so with bits, that neither number alone would have given
  std::size_t store_bytes = 0;   ///< quota of the object store; 0: half of the machine's memory, or of the container's
  std::size_t data_memory = 0;   ///< bytes that data may take on each machine; 0: half of its memory. A set that takes
                                 ///< more than half of this stays in its files, where its source can leave it there,
                                 ///< to the same bits; what is read ahead of the steps takes a quarter at most
  /// Are told of the run in the thread that calls it, when what it has called is done: of the start at its end; of each
  /// step ("loss", "learning_rate", "samples", "samples_per_second"; "step_seconds", "compute_seconds",
  /// "reduce_seconds", "apply_seconds" and "data_seconds", as StepReport::seconds; "accuracy" and "gradient_norm" where
  /// there are such, and "epoch", from 1, where the model has such) and of the epoch that it ends; of each evaluation,
  /// as a report of its own after the same step, of "test_loss", "test_accuracy" and what else was measured, or the
  /// same of "validation", alone; of checkpoints that are on disk; of losses that a step went on after, and of steps
  /// that failed; and, before the workers end, of the end. What one throws comes out of the call, which has done its
  /// work all the same: a step is made, and stays; the callbacks behind it have not heard of it. They may call this
  /// object, to evaluate for instance.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
};

/// How DistributedSGD::load takes a file.
struct LoadOptions {
  /// For other classes: tensors of the last layer, and those that the file does not have in the network's shape, keep
  /// the run's values, at its start those drawn from the seed. What only the file has is left.
  bool new_head = false;
};

/// The precision's name: "f32" or "bf16".
const char* to_string(Precision precision);

/// What a function that runs inside a worker sees of it.
struct WorkerView {
  int worker = 0;
  int pid = 0;
  std::vector<Model*> models;  ///< one per device
};

/// Functions that run beside the replicas. What they return travels back to the driver as it is: text, bytes of any
/// kind, or JSON, which whoever reads it parses.
using ModelFunction = std::function<std::string(Model& model, std::span<const float> weights)>;
using WorkerFunction = std::function<std::string(const WorkerView& worker)>;
/// The same with an argument that the driver gives with the call, bytes of any kind, too.
using ModelFunctionWithArgument =
    std::function<std::string(Model& model, std::span<const float> weights, const std::string& argument)>;
using WorkerFunctionWithArgument = std::function<std::string(const WorkerView& worker, const std::string& argument)>;

/// Is shown weights in canonical order, until it returns.
using ReadWeights = std::function<void(std::span<const float> canonical)>;

/// Make functions known to worker processes under a name. Call before `init`.
void register_model_function(const std::string& name, ModelFunction function);
void register_worker_function(const std::string& name, WorkerFunction function);
void register_model_function(const std::string& name, ModelFunctionWithArgument function);
void register_worker_function(const std::string& name, WorkerFunctionWithArgument function);

/// Data-parallel SGD. One thread at a time may use it, not always the same; several objects work beside
/// each other, in a thread each or in one. One that was moved from can be given a new value or end. Whatever else is
/// asked of it is an Error invalid_argument, and so is a call, such as `step()`, while another one has not returned.
///
/// Users' code runs where the replicas are: of placement `in_process` on threads of this process, several at once. A
/// replica is made, asked and given to functions by one thread at a time, the same one unless it is lightweight; what
/// replicas share, such as what a creator or a function captures, takes several threads. What such code throws ends the
/// call: an Error as it is, with the place added, anything else as an Error model_failed with its text. What a function
/// throws that runs in the caller's thread (`read_weights`) comes out as it is. All else that is thrown is an Error, or
/// std::bad_alloc. In a child made by fork every call throws Error unsupported, and the destructor does nothing.
///
/// `step()` of synchronous SGD is a transaction: it commits a new version of the weights or throws and changes nothing,
/// and may then be called again; for the same number of shards the bits of the result do not depend on workers,
/// placement, strategy or deaths. Other algorithms: docs/algorithms.md. Workers that die are replaced, and the step
/// goes on (Options::max_failures). A run that loses a node goes back to its newest checkpoint in
/// Options::checkpoint's folder, or to its beginning, with the nodes that come within start_timeout,
/// ClusterOptions::min_nodes at least, and does the steps since again; without such a folder, or where weights were set
/// or loaded since, the loss ends the run, but weights can still be read. A worker that throws, or does not answer in
/// time, is an error. Nothing is committed that is not finite, be it weights, statistics or the optimizer's state: that
/// is an Error non_finite_weights, whose Where::object is the first tensor in canonical order.
class DistributedSGD {
 public:
  /// Starts the workers and builds their replicas.
  /// @throws Error when options make no sense, or a worker or its model cannot be started in time.
  DistributedSGD(ModelCreator creator, Options options);
  /// Waits for workers of this process that are still busy, at most `step_timeout`; one that hangs longer is given up
  /// and goes on running, with whatever its model refers to. A checkpoint that is being written is finished before.
  ~DistributedSGD();
  DistributedSGD(DistributedSGD&&) noexcept;
  DistributedSGD& operator=(DistributedSGD&&) noexcept;

  /// One step of SGD over all shards.
  /// @throws Error naming worker, node and phase; at the latest after Options::step_timeout, or, where workers have to
  /// be replaced first, Options::start_timeout more: for each try, of which Options::max_failures allows one more than
  /// there may be losses.
  StepReport step();

  /// Computes and throws the gradients away, so that the first step is as fast as the others.
  void warmup();

  /// The last committed step's report.
  const StepReport& report() const;
  /// Whether one of Options::callbacks has seen enough. Steps can be made all the same.
  bool should_stop() const;

  /// Steps have this rate from the next one on, in place of OptimizerOptions::learning_rate, its schedule and
  /// learning_rate_at; groups keep their factors of it. Steps that a run does again after losing a node have the rates
  /// that they had. Checkpoints tell the rate of the step after them: `load_state` and Options::resume_from go on with
  /// it, or, where it was not set by hand, with the options. `set_weights` and `load` leave it.
  /// @throws Error invalid_argument for what is no float from 0 on
  void set_learning_rate(double rate);
  /// From the next step on another algorithm: weights and the optimizer's state go on as they are, but that the state
  /// begins with zeros on the way to LocalSgd, where it is each shard's own, and back. L-BFGS begins with an empty
  /// history: a warm start by SGD. What workers have computed until then is applied first. It has no warm_start.
  /// @throws Error as the constructor where that algorithm cannot be, or as `step()`; then nothing has changed, but
  /// that the optimizer's state begins anew where its memory was another algorithm's already
  void use(const Algorithm& algorithm);

  /// The current weights in canonical order (see ModelInfo::tensors).
  std::vector<float> weights();
  /// Lets `use` look at them where they lie, which spares large models a copy. It must not call this object.
  void read_weights(const ReadWeights& use);
  /// Replaces the weights by these as they are, NaN and all; momentum and the like start from zero.
  /// @throws Error model_mismatch on another length.
  void set_weights(std::span<const float> canonical);
  /// Names and shapes of the canonical weights.
  const std::vector<TensorInfo>& tensors() const;

  /// From now on the run has so many workers, to whom the shards are dealt out anew; replicas are made anew, too. The
  /// bits stay. Workers that a call starts are there when it returns. @throws Error invalid_argument for less than one
  /// or more than there are shards for, unsupported with placement `cluster`, or why one cannot start; then those stay
  /// that there were.
  void resize(int num_workers);
  int num_workers() const;

  /// Writes or reads the weights, running statistics included, as a safetensors file. The file holds no more: after
  /// `load` the optimizer's state, the schedule and the order of the data begin anew. @throws Error bad_file,
  /// model_mismatch naming the tensor, or non_finite_weights naming the first tensor with NaN or infinity.
  void save(const std::string& path);
  /// @returns with LoadOptions::new_head the names of the tensors that were not loaded
  std::vector<std::string> load(const std::string& path, const LoadOptions& options = {});

  /// Writes all that steps depend on, or goes back to it: weights, statistics, the optimizer's state, and the number of
  /// the step, which the schedule and the order of the data follow, and a rate set by hand. A run of any placement,
  /// with any number of workers and nodes, then goes on to the same bits as if it had never stopped, provided that
  /// number of shards, seed, model, data, loss and the optimizer's options are the same, and `deterministic` is left
  /// on. The optimizer's kind is compared; its rates, decays, groups and clipping may be others on purpose. `path`
  /// becomes a folder of weights.safetensors, state.safetensors and manifest.json; in the place of another checkpoint
  /// it appears whole or not at all, whatever dies. It is on disk when this returns. @throws Error bad_file, or
  /// model_mismatch for a checkpoint of another run; then nothing has changed, but that a history of L-BFGS, or what
  /// the optimizer remembers where the checkpoint is of another algorithm's steps, begins anew.
  void save_state(const std::string& path);
  void load_state(const std::string& path);

  /// Writes a checkpoint of the current state into Options::checkpoint's folder and returns its path; it is on disk
  /// then. One that is being written is finished first. `metric` says how good these weights are, such as the accuracy
  /// of an evaluation, for CheckpointOptions::keep_best. @throws Error invalid_argument without such a folder, or for a
  /// metric that is not finite or of a run that keeps no best; or why it cannot be written; the run may go on.
  std::string checkpoint(std::optional<double> metric = {});
  /// Steps committed, with those before the checkpoint that was loaded.
  std::int64_t steps_done() const;

  /// Runs the model's test or validation set over all replicas, and measures loss, accuracy, and what else is asked
  /// for, as `evaluate(set, {.confusion = true, .top_k = 5})` does. For the same number of shards the result does not
  /// depend on workers and placement; its loss may be NaN. @throws Error bad_data, without a worker, where there is no
  /// such set; unsupported for confusion of more than kMostConfusionClasses or errors of more than kMostErrorTargets.
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});

  /// Runs a function on every replica, on every worker, or on the first replica, and returns what they return in
  /// order of worker and device, at most 64 MiB a worker. Functions given by value need placement in_process, and have
  /// captured what they need; names serve all placements, and take an argument of at most 64 MiB where the function was
  /// registered with one. @throws Error invalid_argument for a name that is not registered, or an argument for a
  /// function that takes none.
  std::vector<std::string> foreach_model(const ModelFunction& function);
  std::vector<std::string> foreach_model(const std::string& name, const std::string& argument = {});
  std::vector<std::string> foreach_worker(const WorkerFunction& function);
  std::vector<std::string> foreach_worker(const std::string& name, const std::string& argument = {});
  std::string for_model(const ModelFunction& function);
  std::string for_model(const std::string& name, const std::string& argument = {});

  /// Steps until every shard has seen its samples once; 0 where the model does not say.
  std::int64_t steps_per_epoch() const;
  /// What the replicas really compute in, and why.
  Precision precision() const;
  PrecisionChoice precision_choice() const;
  /// What weights and state take of one store, or of the largest, as StepReport::state_bytes says behind each step.
  std::int64_t state_bytes() const;
  /// Process ids of the workers (this process's own, in-process).
  std::vector<int> worker_pids() const;

 private:
  class Impl;
  /// Refuses to be used once it was moved from.
  struct Held {
    std::unique_ptr<Impl> impl;
    Impl* operator->() const;
  };
  Held impl_;
};

}  // namespace troupe
