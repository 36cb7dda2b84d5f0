#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/processes/slurm.hpp"
#include "troupe/workers.hpp"

namespace troupe {

/// The arguments with which a process is started as a worker: `--troupe-worker=INDEX` and `--troupe-socket=PATH`.
/// Troupe passes the arguments in an environment variable (`launch_variable`). The process also inherits two
/// descriptors: `kStoreSocket`, its connection to the object store, and `kLastWords`, the file into which it writes the
/// error that ends the process.
struct WorkerLaunch {
  int worker = 0;
  std::string socket;

  static constexpr int kStoreSocket = 3;
  static constexpr int kLastWords = 4;

  std::vector<std::string> arguments() const;
  /// Returns the values of the two arguments in `arguments`. Returns std::nullopt if neither argument is present; the
  /// process is then not a worker.
  /// @throws Error invalid_argument if only one of the arguments is present
  static std::optional<WorkerLaunch> parse(const std::vector<std::string>& arguments);
};

/// The arguments with which a process is started as a node: `--troupe-join=HOST:PORT`, `--troupe-certs=FOLDER`,
/// `--troupe-listen=ADDRESS[:PORT]`, `--troupe-driver-name=NAME`, `--troupe-store-bytes=N`,
/// `--troupe-join-timeout=SECONDS`, `--troupe-cut-after=MILLISECONDS`, `--troupe-once` and `--troupe-watched`.
struct NodeLaunch {
  Address join;                 ///< the address of the driver's gate
  std::string certs;            ///< the folder with the files ca.pem, cert.pem and key.pem; the certificate must have
                                ///< the role node
  Address listen;               ///< the address at which this node accepts data connections; without a host: the local
                                ///< address of its connection to the driver
  std::string driver_name;      ///< the name that the driver's certificate must have; empty: any name
  std::size_t store_bytes = 0;  ///< quota of the node's object store in bytes; 0: half of the machine's memory
  int join_timeout = 0;         ///< seconds after which the node stops waiting for a driver; 0: no limit
  /// If the driver sends nothing for this time, the node ends its part in the run; 0: no limit.
  std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after;
  bool once = false;     ///< if true, the process ends after one run
  bool watched = false;  ///< if true, the process ends when the process at the other end of kParentSocket ends
  bool leaves = false;   ///< if true, the node announces that it leaves as soon as it has joined a run

  static constexpr int kParentSocket = 3;
  /// The numbers of the memory files with the node's copies of the state, which the parent process holds, too.
  static constexpr int kFirstCopy = 4;
  static constexpr int kSecondCopy = 5;

  std::vector<std::string> arguments() const;
  /// Returns the values of the arguments in `arguments`. Returns std::nullopt if the arguments do not make this process
  /// a node.
  /// @throws Error invalid_argument if an argument is missing or invalid
  static std::optional<NodeLaunch> parse(const std::vector<std::string>& arguments);
};

/// The argument with which the process of a trial is started: `--troupe-trial=FOLDER`. The process also inherits the
/// descriptor `kSearchSocket`, a socket that connects the process with the search.
struct TrialLaunch {
  std::string folder;

  static constexpr int kSearchSocket = 3;

  std::vector<std::string> arguments() const;
  /// Returns the folder of the trial; std::nullopt if `arguments` do not make this process the process of a trial.
  static std::optional<TrialLaunch> parse(const std::vector<std::string>& arguments);
};

/// A cluster whose processes `srun` started. The first task of the Slurm job is the driver, and the other tasks are its
/// nodes. `certs` is a folder that contains the certificates of the tasks: in the folder `driver` for the first task,
/// and in a folder `node-RANK` for each other task.
struct SlurmCluster {
  SlurmTask task;
  std::string certs;
};
/// Returns the cluster to which this process belongs, according to Slurm's environment variables. The environment
/// variable TROUPE_CERTS contains `SlurmCluster::certs`. Returns std::nullopt if TROUPE_CERTS is not set, or if `srun`
/// did not start at least two tasks.
/// @throws Error invalid_argument if Slurm's variables are inconsistent
std::optional<SlurmCluster> find_slurm_cluster();
/// Returns the arguments with which this Slurm task becomes a node. Returns std::nullopt in the first task, which
/// becomes the driver, and if `find_slurm_cluster` finds no cluster.
std::optional<NodeLaunch> slurm_node();

/// Runs this process as a node, and then ends the process. If `launch.once` is true, serves a single run. Otherwise
/// serves one run after the other, until no driver is found within the join timeout.
[[noreturn]] void run_node(const NodeLaunch& launch);

/// Returns true if `init` was called in this process. Troupe cannot start a program as a worker process if the program
/// does not call `init`.
bool is_initialised();
/// Returns the arguments with which this process was started, beginning with the program's name. Troupe starts worker,
/// node and trial processes with these arguments, too.
const std::vector<std::string>& program_arguments();
/// Returns the text NAME=VALUE of the environment variable that passes `arguments` to a process. In that process,
/// `init` reads the variable and removes it from the environment.
std::string launch_variable(const std::vector<std::string>& arguments);

/// Runs the trial that the files in `launch.folder` describe, and then ends the process.
[[noreturn]] void run_trial(const TrialLaunch& launch);

/// Runs this process as the worker `launch.worker` until the driver ends, and then ends the process.
[[noreturn]] void run_worker_process(const WorkerLaunch& launch);

}  // namespace troupe
