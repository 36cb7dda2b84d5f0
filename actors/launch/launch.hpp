#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/processes/slurm.hpp"
#include "troupe/workers.hpp"

namespace troupe {

/// The arguments with which a process is started as a worker: `--troupe-worker=INDEX` and `--troupe-socket=PATH`. They
/// are passed in the environment (`launch_variable`). The connection to the object store and the file for last words
/// are inherited descriptors.
struct WorkerLaunch {
  int worker = 0;
  std::string socket;

  static constexpr int kStoreSocket = 3;
  static constexpr int kLastWords = 4;

  std::vector<std::string> arguments() const;
  /// Returns nothing for a user's own process.
  /// @throws Error invalid_argument if only one of the arguments is present
  static std::optional<WorkerLaunch> parse(const std::vector<std::string>& arguments);
};

/// The arguments with which a process is started as a node: `--troupe-join=HOST:PORT`, `--troupe-certs=FOLDER`,
/// `--troupe-listen=ADDRESS[:PORT]`, `--troupe-driver-name=NAME`, `--troupe-store-bytes=N`,
/// `--troupe-join-timeout=SECONDS`, `--troupe-cut-after=MILLISECONDS` and `--troupe-once`.
struct NodeLaunch {
  Address join;                 ///< where the driver's gate listens
  std::string certs;            ///< folder with ca.pem, cert.pem and key.pem, of role node
  Address listen;               ///< for other nodes; without a host: the local address of the connection to the driver
  std::string driver_name;      ///< required name in the driver's certificate; empty: any
  std::size_t store_bytes = 0;  ///< quota of the node's object store; 0: half of the memory
  int join_timeout = 0;         ///< seconds after which the node stops waiting for a driver; 0: never
  /// The run ends if the driver was silent for this time; 0: never.
  std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after;
  bool once = false;     ///< end after one run
  bool watched = false;  ///< end when the process that holds the other end of kParentSocket ends

  static constexpr int kParentSocket = 3;

  std::vector<std::string> arguments() const;
  /// Returns nothing for a user's own process.
  /// @throws Error invalid_argument if an argument is missing or invalid
  static std::optional<NodeLaunch> parse(const std::vector<std::string>& arguments);
};

/// The argument with which the process of a search's trial is started: `--troupe-trial=FOLDER`. Its socket to the
/// search is an inherited descriptor.
struct TrialLaunch {
  std::string folder;

  static constexpr int kSearchSocket = 3;

  std::vector<std::string> arguments() const;
  /// Returns nothing for a user's own process.
  static std::optional<TrialLaunch> parse(const std::vector<std::string>& arguments);
};

/// The cluster that Slurm describes, if `srun` started this program as several tasks, and TROUPE_CERTS names the folder
/// of the certificates (`driver`, and `node-RANK` for each other task). The first task is the driver; the others are
/// its nodes.
struct SlurmCluster {
  SlurmTask task;
  std::string certs;
};
/// @throws Error invalid_argument if the environment is inconsistent
std::optional<SlurmCluster> find_slurm_cluster();
/// Returns the arguments of this task as a node; nothing for the first task and outside Slurm.
std::optional<NodeLaunch> slurm_node();

/// Serves runs until it is told to stop, or only one run; then ends the process.
[[noreturn]] void run_node(const NodeLaunch& launch);

/// Returns true once `init` was called in this process. Only then can this program be started again as a worker.
bool is_initialised();
/// Returns the arguments of this process, beginning with the program's name. Worker, node and trial processes get the
/// same arguments.
const std::vector<std::string>& program_arguments();
/// Returns the environment variable that passes Troupe's own arguments to a process. `init` removes the variable.
std::string launch_variable(const std::vector<std::string>& arguments);

/// Runs the trial whose task is in the folder, then ends the process.
[[noreturn]] void run_trial(const TrialLaunch& launch);

/// Serves the driver until the driver ends, then ends the process.
[[noreturn]] void run_worker_process(const WorkerLaunch& launch);

}  // namespace troupe
