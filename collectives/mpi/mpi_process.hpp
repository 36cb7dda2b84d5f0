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

/// The MPI library in this process: one object, from the first group until the process ends.
class MpiProcess {
 public:
  /// @throws Error timeout if not all ranks arrive
  static MpiProcess& get(const Deadline& deadline);
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  /// @throws Error unsupported if MPI does not allow calls from this thread
  void check_thread() const;
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::string node() const;
  Words& words() { return *words_; }
  /// Begins another group, and returns its number, from 1 on, which is the same on all ranks.
  /// @throws Error invalid_argument if this process is already in a group
  std::uint64_t enter();
  void left() { in_group_ = false; }

  /// Records that other ranks may be gone or hang: the process then waits for them at most `time` when it ends.
  void doubt(std::chrono::milliseconds time);
  /// Keeps memory that MPI may still read or write, because a peer did not complete the transfer.
  void keep(std::shared_ptr<void> memory) { kept_.push_back(std::move(memory)); }

 private:
  explicit MpiProcess(const Deadline& deadline);
  void end();
  void free_words_with_mpi();

  const OwningProcess owner_;
  bool ours_ = false;  ///< this object initialised MPI
  bool any_thread_ = true;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::uint64_t groups_ = 0;
  std::unique_ptr<Words> words_;
  std::vector<std::shared_ptr<void>> kept_;
  bool in_group_ = false;
  std::optional<std::chrono::milliseconds> end_timeout_;  ///< empty if nothing has failed
};

}  // namespace troupe
