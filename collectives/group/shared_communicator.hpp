#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/group/communicator.hpp"
#include "collectives/group/meeting.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Of ranks of one machine, over memory of its object store.
///
/// A short vector lies beside the call, and each rank makes all of the result, after one meeting. A long one goes
/// through in chunks that stay in the cache: each rank writes its own, meets the others, makes its slice of the
/// result, meets them again, and reads the whole. So memory outside of the caches is read once and written once.
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
  /// @param absent asked now and then: a rank that does not come, so that nobody is to wait for it
  SharedCommunicator(std::shared_ptr<StoreClient> store, const Place& place, const AskAbsent& absent = {});
  ~SharedCommunicator() override;

  int rank() const override { return place_.rank; }
  int size() const override { return place_.size; }
  const char* name() const override { return "store"; }
  void run(const Collective& call) override;

  /// This rank comes no more. From another thread, too, as the next.
  void leave(ErrorCode code, const std::string& text) { meeting_->leave(code, text); }
  void break_up(const Absence& absence) { meeting_->break_up(absence); }

  /// What lies longer than this in a vector goes through in chunks, in bytes.
  static constexpr std::size_t kShort = 16384;

 private:
  void map(const AskAbsent& absent);
  void wait_for(const ObjectId& said, const Deadline& deadline, const AskAbsent& absent);
  void map_chunks();
  void forget() noexcept;
  void release(const ObjectId& id) noexcept;
  ObjectId chunks_id() const;
  void run_short(const Collective& call);
  void run_long(const Collective& call);
  void all_reduce(const Collective& call, const Deadline& deadline);
  void reduce_scatter(const Collective& call, const Deadline& deadline);
  void all_gather(const Collective& call, const Deadline& deadline);
  void broadcast(const Collective& call, const Deadline& deadline);
  std::byte* short_of(int rank) const;
  std::byte* chunk_of(int rank) const;
  std::byte* result() const { return chunk_of(place_.size); }
  /// The same bytes of each rank's chunk, for a reduction.
  const std::byte* const* chunks_at(std::size_t offset);

  std::shared_ptr<StoreClient> store_;
  Place place_;
  std::size_t chunk_bytes_;
  std::shared_ptr<Mapping> mapping_;  ///< of the meeting place, with short vectors
  std::shared_ptr<Mapping> chunks_;   ///< of long ones; null before the first
  std::unique_ptr<Meeting> meeting_;
  std::vector<const std::byte*> sources_;  ///< scratch
};

}  // namespace troupe
