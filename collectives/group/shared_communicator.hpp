#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "collectives/group/rank_collectives.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Connects ranks of one machine through memory of its object store.
class SharedCommunicator : public Communicator {
 public:
  struct Place {
    ObjectId id;  ///< of kind group
    int rank = 0;
    int size = 1;
    RankName name;
    std::chrono::milliseconds timeout{0};  ///< timeout of each collective
  };

  /// Returns when all ranks have mapped the memory. The first rank to arrive creates it.
  /// @param absent called from time to time while this waits; returns a rank that will not arrive
  /// @throws Error as `StoreClient`, or as documented at `Group`
  SharedCommunicator(std::shared_ptr<StoreClient> store, const Place& place, const AskAbsent& absent = {});
  ~SharedCommunicator() override;

  int rank() const override { return place_.rank; }
  int size() const override { return place_.size; }
  const char* name() const override { return "store"; }
  void run(const Collective& call) override { collectives_->run(call); }
  void leave(ErrorCode code, const std::string& text) override { barrier_->leave(code, text); }
  void break_up(const Absence& absence) override { barrier_->break_up(absence); }

 private:
  void map(const AskAbsent& absent);
  void make(std::size_t bytes);
  void open(std::size_t bytes, const Deadline& deadline, const AskAbsent& absent);
  void wait_for_said(const Deadline& deadline, const AskAbsent& absent);
  Staging map_staging();
  void forget() noexcept;
  void release(const ObjectId& id) noexcept;
  ObjectId said_id() const;
  ObjectId staging_id() const;

  std::shared_ptr<StoreClient> store_;
  Place place_;
  std::shared_ptr<Mapping> mapping_;  ///< of the barrier
  std::shared_ptr<Mapping> staging_;  ///< for long vectors; null before the first of them
  bool said_ = false;                 ///< this rank has published or seen that the memory is ready, and holds the
                                      ///< object that marks it
  std::unique_ptr<SharedBarrier> barrier_;
  std::optional<RankCollectives> collectives_;
};

}  // namespace troupe
