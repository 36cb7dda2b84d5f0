#pragma once

#include <mpi.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/mpi/words.hpp"
#include "runtime/clock.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// The MPI library in this process. There is only one object of this class, which exists from the first group until the
/// process ends.
class MpiProcess {
 public:
  /// Returns the only object. The first call initialises MPI, if the program has not done so, and blocks until all
  /// ranks have made their first call.
  /// @throws Error timeout if not all ranks make their first call before the deadline
  static MpiProcess& get(const Deadline& deadline);
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  /// Checks that MPI allows calls from the calling thread.
  /// @throws Error unsupported if MPI allows calls from the main thread only, and the calling thread is another thread
  void check_thread() const;
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Returns the name of this machine according to MPI.
  std::string node() const;
  Words& words() { return *words_; }
  /// Records that this process enters its next group, and returns the number of the group, from 1 on. All ranks enter
  /// the same groups in the same order, so a group has the same number on all ranks.
  /// @throws Error invalid_argument if this process is already in a group
  std::uint64_t enter();
  /// Records that this process has left its group.
  void left() { in_group_ = false; }

  /// Limits the time for which this process, when it ends, waits for the other ranks. Called after a failure, because
  /// other ranks may have ended or may hang. If this function is called several times, the longest time applies. If it
  /// is never called, there is no limit.
  void doubt(std::chrono::milliseconds time);
  /// Keeps `memory` until the process ends. Called if a transfer is not complete, because MPI may then still read or
  /// write the memory of the transfer.
  void keep(std::shared_ptr<void> memory) { kept_.push_back(std::move(memory)); }

 private:
  explicit MpiProcess(const Deadline& deadline);
  void end();
  void free_words_with_mpi();

  const OwningProcess owner_;
  bool ours_ = false;  ///< true if this object initialised MPI, and must finalize it
  bool any_thread_ = true;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::uint64_t groups_ = 0;
  std::unique_ptr<Words> words_;
  std::vector<std::shared_ptr<void>> kept_;
  bool in_group_ = false;
  std::optional<std::chrono::milliseconds> end_timeout_;  ///< the time limit that `doubt` has set; std::nullopt: no
                                                          ///< limit
};

}  // namespace troupe
