#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/processes/slurm.hpp"
#include "troupe/workers.hpp"

namespace troupe {

/// How a process that was started as a worker knows it: `--troupe-worker=INDEX` and `--troupe-socket=PATH`, told beside
/// its arguments (`launch_variable`). Its connection to the object store is an inherited descriptor, and so is the file
/// for its last words.
struct WorkerLaunch {
  int worker = 0;
  std::string socket;

  static constexpr int kStoreSocket = 3;
  static constexpr int kLastWords = 4;

  std::vector<std::string> arguments() const;
  /// None for a user's own process. @throws Error invalid_argument for half of these.
  static std::optional<WorkerLaunch> parse(const std::vector<std::string>& arguments);
};

/// How a process that serves as a node knows it: `--troupe-join=HOST:PORT`, `--troupe-certs=FOLDER`,
/// `--troupe-listen=ADDRESS[:PORT]`, `--troupe-driver-name=NAME`, `--troupe-store-bytes=N`,
/// `--troupe-join-timeout=SECONDS`, `--troupe-cut-after=MILLISECONDS` and `--troupe-once`.
struct NodeLaunch {
  Address join;                 ///< where the driver's gate listens
  std::string certs;            ///< folder with ca.pem, cert.pem and key.pem, of role node
  Address listen;               ///< for other nodes; without a host: this end's address of the connection to the driver
  std::string driver_name;      ///< that the driver's certificate must have; empty: any
  std::size_t store_bytes = 0;  ///< quota of the node's object store; 0: half of the memory
  int join_timeout = 0;         ///< seconds after which it no longer waits for a driver; 0: never
  /// The run is over when its driver was silent for so long; 0: never.
  std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after;
  bool once = false;     ///< ends after one run
  bool watched = false;  ///< ends when the process ends that holds the other end of kParentSocket

  static constexpr int kParentSocket = 3;

  std::vector<std::string> arguments() const;
  /// None for a user's own process. @throws Error invalid_argument
  static std::optional<NodeLaunch> parse(const std::vector<std::string>& arguments);
};

/// How the process of a trial of a search knows it: `--troupe-trial=FOLDER`. Its socket to the search is an inherited
/// descriptor.
struct TrialLaunch {
  std::string folder;

  static constexpr int kSearchSocket = 3;

  std::vector<std::string> arguments() const;
  /// None for a user's own process.
  static std::optional<TrialLaunch> parse(const std::vector<std::string>& arguments);
};

/// What Slurm says, where `srun` started this program as several tasks and TROUPE_CERTS names the folder of the
/// certificates (`driver`, and `node-RANK` for each other task): the first task is the driver, the others are its
/// nodes.
struct SlurmCluster {
  SlurmTask task;
  std::string certs;
};
/// @throws Error invalid_argument for an environment that contradicts itself.
std::optional<SlurmCluster> find_slurm_cluster();
/// How this task serves as a node; none for the first, and outside Slurm.
std::optional<NodeLaunch> slurm_node();

/// Serves runs until it is told to end, or one run; then ends the process.
[[noreturn]] void run_node(const NodeLaunch& launch);

/// True once `init` was called in this process: then, and only then, this program may be started anew as a worker.
bool is_initialised();
/// With which this process was started, its name first. Processes that serve as parts of it are given the same.
const std::vector<std::string>& program_arguments();
/// The variable of the environment that tells a process beside its arguments what it is to be. `init` removes it.
std::string launch_variable(const std::vector<std::string>& arguments);

/// Runs the trial whose task lies in the folder, then ends the process.
[[noreturn]] void run_trial(const TrialLaunch& launch);

/// Serves the driver until it goes, then ends the process.
[[noreturn]] void run_worker_process(const WorkerLaunch& launch);

}  // namespace troupe
