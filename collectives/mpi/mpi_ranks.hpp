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

/// Of the ranks that mpirun started.
///
/// Each call begins with a word to all others, which says what is called, and has a short vector behind it; so each
/// rank knows who has come, makes all of a short result, and long vectors go on their way only where all agree. All of
/// it is messages between two ranks that are looked at, never waited in: MPI's own collectives cannot be left, and add
/// in an order of their own.
class MpiRanks : public Communicator {
 public:
  /// Returns when all ranks have come. @throws Error as `Group`
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
    bool watched = false;  ///< a process of this machine, of which it shows when it has gone
    bool gone = false;     ///< the last time it was looked at
    bool waits = false;    ///< it has said so since it called something
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
  std::vector<Range> ranks_;  ///< each by itself
  CallRecord own_;
  std::vector<CallRecord> last_;  ///< what each rank called last
  std::uint64_t done_ = 0;
  std::vector<Other> others_;  ///< by rank, this one among them
  Clock::time_point looks_at_;
  std::optional<Error> broken_;
  bool waits_ = false;  ///< has told the others so, in this call
  bool over_ = false;   ///< has told the others that it comes no more
  Traffic traffic_;
  Deadline deadline_ = Deadline::never();
  LongVectors long_vectors_;
};

}  // namespace troupe
