#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "collectives/group/rank_collectives.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Connects one rank with the other ranks of its group, through objects in an object store. All ranks of the group are
/// on one machine.
class SharedCommunicator : public Communicator {
 public:
  /// The place of this rank in the group.
  struct Place {
    ObjectId id;  ///< the name of the object with the barrier's memory; its kind is `group`
    int rank = 0;
    int size = 1;
    RankName name;
    std::chrono::milliseconds timeout{0};  ///< the time limit of the constructor and of each collective
  };

  /// Blocks until all ranks have mapped the barrier's memory. The first rank that calls the constructor creates this
  /// memory.
  /// @param absent called repeatedly while the constructor waits; returns a rank that will not arrive, if one is known
  /// @throws Error from `StoreClient`, or as documented at `Group`
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
  /// Returns the name of an object whose only purpose is to mark the barrier's memory as ready. The object is sealed as
  /// soon as this memory is initialized.
  ObjectId said_id() const;
  ObjectId staging_id() const;

  std::shared_ptr<StoreClient> store_;
  Place place_;
  std::shared_ptr<Mapping> mapping_;  ///< the memory of the barrier
  std::shared_ptr<Mapping> staging_;  ///< the memory for long vectors; null before the first long vector
  bool said_ = false;                 ///< true if this rank must still release the object `said_id()`
  std::unique_ptr<SharedBarrier> barrier_;
  std::optional<RankCollectives> collectives_;
};

}  // namespace troupe
