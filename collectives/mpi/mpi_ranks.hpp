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
/// Each call of a collective begins with a message (`Word`) to all other ranks. The message describes the call; if the
/// vector is short, the message also contains the vector. So each rank knows which ranks have arrived, and computes the
/// result for short vectors by itself. Long vectors are sent afterwards, and only if all ranks made the same call. All
/// data travels as point-to-point messages, and this class polls for their completion. MPI's own collectives are not
/// used, because they cannot be cancelled, and because they add in an order of their own.
class MpiRanks : public Communicator {
 public:
  /// Joins the next group. Blocks until all ranks have joined.
  /// @throws Error as documented at `Group`
  MpiRanks(MpiProcess& mpi, std::chrono::milliseconds timeout);
  ~MpiRanks() override;

  int rank() const override { return mpi_.rank(); }
  int size() const override { return mpi_.size(); }
  const char* name() const override { return "mpi"; }
  void run(const Collective& call) override;
  void leave(ErrorCode code, const std::string& text) override;

  std::string node() const { return others_[static_cast<std::size_t>(rank())].node; }
  /// Returns the number of this rank among the ranks of this machine.
  int local_rank() const;

 private:
  /// What this rank knows about a rank.
  struct Other {
    std::string node;
    int pid = 0;
    bool watched = false;  ///< true for another process of this machine, because its end can be detected
    bool gone = false;     ///< true if the process did not exist at the last check
    bool waits = false;    ///< true if its last word was `waits`
  };

  void begin(const Collective& call);
  void meet(const Deadline& deadline);
  void learn_names();
  void run_short(const Collective& call);
  void run_long(const Collective& call, const Deadline& deadline);
  /// Blocks until `done` returns true. Throws if the deadline passes or a rank is missing.
  /// @param waits_for returns true for a rank that must still do something before `done` can return true
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
  std::vector<CallRecord> last_;  ///< the record of each rank's last known call
  std::uint64_t done_ = 0;
  std::vector<Other> others_;  ///< by rank, including this rank
  Clock::time_point looks_at_;
  std::optional<Error> broken_;
  bool waits_ = false;  ///< true if this rank has sent `waits` in the current call
  bool over_ = false;   ///< true if this rank has sent `over`
  Traffic traffic_;
  Deadline deadline_ = Deadline::never();
  LongVectors long_vectors_;
};

}  // namespace troupe
