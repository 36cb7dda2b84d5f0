#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/group/communicator.hpp"
#include "collectives/mpi/long_vectors.hpp"
#include "collectives/mpi/mpi_process.hpp"
#include "collectives/mpi/traffic.hpp"

namespace troupe {

/// Connects the ranks that mpirun started.
///
/// Each call begins with a word to all other ranks. The word describes the call, and a short vector follows it. So each
/// rank knows which ranks have arrived and computes a short result on its own. Long vectors are sent only if all ranks
/// made the same call. All data travels as point-to-point messages that are polled. MPI's own collectives are not used,
/// because they cannot be cancelled, and because they add in their own order.
class MpiRanks : public Communicator {
 public:
  /// Returns when all ranks have arrived.
  /// @throws Error as documented at `Group`
  MpiRanks(MpiProcess& mpi, std::chrono::milliseconds timeout);
  ~MpiRanks() override;

  int rank() const override { return mpi_.rank(); }
  int size() const override { return mpi_.size(); }
  const char* name() const override { return "mpi"; }
  void run(const Collective& call) override;
  void leave(ErrorCode code, const std::string& text) override;

  std::string node() const { return others_[static_cast<std::size_t>(rank())].node; }
  int local_rank() const;

 private:
  struct Other {
    std::string node;
    int pid = 0;
    bool watched = false;  ///< a process of this machine, whose end can be detected
    bool gone = false;     ///< result of the last check
    bool waits = false;    ///< its last word in this call was `waits`
  };

  void begin(const Collective& call);
  void meet(const Deadline& deadline);
  void learn_names();
  void run_short(const Collective& call);
  void run_long(const Collective& call, const Deadline& deadline);
  void wait(const Deadline& deadline, const std::function<bool()>& done, const std::function<bool(int)>& waits_for);
  void hear_others(bool late);
  void hear(int rank, const Word& word);
  void check_alive(const std::function<bool(int)>& waits_for);
  [[noreturn]] void time_out(const std::function<bool(int)>& waits_for);
  [[noreturn]] void fail(const Absence& absence);
  void say_over(const Absence& absence);
  Word word(Word::Kind kind) const;
  std::string name_of(int rank) const;

  MpiProcess& mpi_;
  std::chrono::milliseconds timeout_;
  std::uint64_t group_;
  bool crowded_;
  std::vector<Range> ranks_;  ///< ranges of one rank each
  CallRecord own_;
  std::vector<CallRecord> last_;  ///< the last call of each rank
  std::uint64_t done_ = 0;
  std::vector<Other> others_;  ///< by rank, including this rank
  Clock::time_point looks_at_;
  std::optional<Error> broken_;
  bool waits_ = false;  ///< this rank has sent `waits` in this call
  bool over_ = false;   ///< this rank has announced that it no longer takes part
  Traffic traffic_;
  Deadline deadline_ = Deadline::never();
  LongVectors long_vectors_;
};

}  // namespace troupe
