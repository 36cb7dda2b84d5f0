#pragma once

#include <memory>
#include <vector>

#include "actors/driver/forming/generation.hpp"
#include "actors/driver/forming/run_workers.hpp"
#include "actors/driver/transfers.hpp"
#include "actors/placements/runtime.hpp"

namespace troupe {

/// The objects that exist from the formation of a run to its end: its members, the connections to its members, and the
/// state that the members share.
class FormedRun {
 public:
  /// Creates the objects of a run that no member has joined yet.
  /// @param generation the run's generation, which has not begun yet
  FormedRun(std::unique_ptr<Runtime> runtime, const CreateModel& creator, Generation generation);
  /// Ends the workers. If a worker of this process hangs, the objects that the worker may still use are never
  /// destroyed.
  ~FormedRun();
  FormedRun(const FormedRun&) = delete;
  FormedRun& operator=(const FormedRun&) = delete;

  Members& members() { return runtime_->members; }
  const Members& members() const { return runtime_->members; }
  Host& host() { return *runtime_->host; }
  const Host& host() const { return *runtime_->host; }
  Reception& mailbox() { return runtime_->mailbox; }
  Rounds& rounds() { return rounds_; }
  RunWorkers& workers() { return workers_; }
  StateHome& home() { return *home_; }
  const StateHome& home() const { return *home_; }
  Transfers& transfers() { return transfers_; }
  Generation& generation() { return generation_; }
  const Generation& generation() const { return generation_; }

 private:
  /// Requests all workers that are not lost to stop, if their replicas run in this process. Returns whether all of them
  /// have stopped in time.
  bool stop_workers() noexcept;

  std::unique_ptr<Runtime> runtime_;
  Rounds rounds_;
  RunWorkers workers_;
  std::unique_ptr<StateHome> home_;
  Transfers transfers_;
  Generation generation_;
};

}  // namespace troupe
