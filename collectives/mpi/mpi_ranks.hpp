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

/// Connects this process with the other ranks that mpirun started.
///
/// In each call of a collective, a rank first sends a message (`Word`) to all other ranks. The message describes the
/// call, and contains the vector if the vector is short. So each rank knows which ranks have arrived, and computes the
/// result for short vectors by itself. Long vectors are sent afterwards, and only if all ranks have made the same call.
/// All data is sent in point-to-point messages, and this class polls until they are complete. MPI's own collectives are
/// not used, because a rank cannot cancel them, and because MPI determines the order of additions in them.
class MpiRanks : public Communicator {
 public:
  /// Joins the next group. Blocks until all ranks have joined this group.
  /// @param timeout the time limit of the constructor and of each collective
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
  /// The data that this rank stores about one rank of the group.
  struct Other {
    std::string node;
    int pid = 0;
    bool watched = false;  ///< true if the rank is another process of this machine, so that this rank can detect the
                           ///< end of the process
    bool gone = false;     ///< true if the process did not exist at the last check
    bool waits = false;    ///< true if the last word from the rank had the kind `waits`
  };

  void begin(const Collective& call);
  void meet(const Deadline& deadline);
  void learn_names();
  void run_short(const Collective& call);
  void run_long(const Collective& call, const Deadline& deadline);
  /// Blocks until `done` returns true. Throws if the deadline passes or a rank is missing.
  /// @param waits_for takes a rank, and returns true if this rank waits for it: `done` cannot return true before that
  /// rank has acted
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
  std::vector<Range> ranks_;  ///< by rank: the range that contains only this rank
  CallRecord own_;
  std::vector<CallRecord> last_;  ///< by rank: the record of the last call that is known of the rank
  std::uint64_t done_ = 0;
  std::vector<Other> others_;  ///< by rank, including this rank
  Clock::time_point looks_at_;
  std::optional<Error> broken_;
  bool waits_ = false;  ///< true if this rank has sent a word `waits` in the current call
  bool over_ = false;   ///< true if this rank has sent a word `over`
  Traffic traffic_;
  Deadline deadline_ = Deadline::never();
  LongVectors long_vectors_;
};

}  // namespace troupe
