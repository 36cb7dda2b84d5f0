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

/// MPI, as this process has it: there is one, from the first group on until the process ends.
class MpiProcess {
 public:
  /// @throws Error timeout where not all ranks come
  static MpiProcess& get(const Deadline& deadline);
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  /// @throws Error unsupported in another thread than MPI allows
  void check_thread() const;
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::string node() const;
  Words& words() { return *words_; }
  /// Begins another group, and returns its number, from 1 on, the same on all ranks. @throws Error invalid_argument
  /// while there is one
  std::uint64_t enter();
  void left() { in_group_ = false; }

  /// Others may be gone, or hang: at the end they are waited for so long.
  void doubt(std::chrono::milliseconds time);
  /// Memory that MPI may still read or write, since who should have taken it or sent it is silent.
  void keep(std::shared_ptr<void> memory) { kept_.push_back(std::move(memory)); }

 private:
  explicit MpiProcess(const Deadline& deadline);
  void end();
  void free_words_with_mpi();

  const OwningProcess owner_;
  bool ours_ = false;  ///< this initialised MPI
  bool any_thread_ = true;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::uint64_t groups_ = 0;
  std::unique_ptr<Words> words_;
  std::vector<std::shared_ptr<void>> kept_;
  bool in_group_ = false;
  std::optional<std::chrono::milliseconds> end_timeout_;  ///< none where all is well
};

}  // namespace troupe
