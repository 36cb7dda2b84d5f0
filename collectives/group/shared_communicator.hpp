#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "collectives/group/rank_collectives.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Of ranks of one machine, over memory of its object store.
class SharedCommunicator : public Communicator {
 public:
  struct Place {
    ObjectId id;  ///< of kind group
    int rank = 0;
    int size = 1;
    RankName name;
    std::chrono::milliseconds timeout{0};  ///< of each collective
  };

  /// Returns when all ranks have mapped the memory, which the first to come makes. @throws Error as `StoreClient`, or
  /// as `Group`
  /// @param absent asked now and then while it waits: a rank that does not come, so that nobody is to wait for it
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
  std::shared_ptr<Mapping> mapping_;  ///< of the barrier place
  std::shared_ptr<Mapping> staging_;  ///< for long vectors; null before the first
  bool said_ = false;                 ///< this rank has said, or heard, that the memory is ready, and holds that
  std::unique_ptr<SharedBarrier> barrier_;
  std::optional<RankCollectives> collectives_;
};

}  // namespace troupe
