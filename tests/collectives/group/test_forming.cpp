#include <doctest/doctest.h>

#include "collectives/group/shared_communicator.hpp"
#include "runtime/store/object_store.hpp"

namespace troupe {
namespace {

constexpr ObjectId kGroup{.run = 1, .kind = ObjectKind::group};
constexpr ObjectId kSaid{.run = 1, .kind = ObjectKind::group, .buffer = 1};

std::optional<Absence> told_of_rank_1() { return Absence{ErrorCode::worker_lost, 1, "was lost"}; }

/// Lets rank 0 of three fail to form a group on its own, and returns the error.
AbsentRank failure_of(const std::shared_ptr<StoreClient>& client, const AskAbsent& absent) {
  try {
    const SharedCommunicator alone(client, {kGroup, 0, 3, {7, "here"}, std::chrono::milliseconds(2000)}, absent);
  } catch (const AbsentRank& error) {
    return error;
  }
  throw std::logic_error("no rank is reported as absent");
}

bool is_there(ObjectStore& store, const ObjectId& id) try {
  store.connect()->get(id, std::chrono::milliseconds(0));
  return true;
} catch (const Error&) {
  return false;
}

TEST_CASE("an error about a rank that is lost before the group forms names the rank and no worker") {
  ObjectStore store;
  const AbsentRank failure = failure_of(store.connect(), told_of_rank_1);
  CHECK(failure.code() == ErrorCode::worker_lost);
  CHECK(failure.rank() == 1);
  CHECK(failure.where().worker == -1);
}

TEST_CASE("a group that fails to form leaves nothing in the store") {
  ObjectStore store;
  const std::shared_ptr<StoreClient> client = store.connect();
  failure_of(client, told_of_rank_1);
  CHECK_FALSE(is_there(store, kSaid));
}

TEST_CASE("if the creator of the group's memory has died, an error names the lost rank to ranks that arrive later") {
  ObjectStore store;
  auto maker = store.connect();
  const auto waits = store.connect();
  maker->create(kGroup, SharedBarrier::bytes(3), {.shared_writers = true});
  maker->create(kSaid, sizeof(float));
  maker->seal(kSaid);
  waits->get(kSaid, std::chrono::seconds(10));
  maker.reset();
  const AbsentRank failure = failure_of(store.connect(), told_of_rank_1);
  CHECK(failure.code() == ErrorCode::worker_lost);
  CHECK(failure.rank() == 1);
}

}  // namespace
}  // namespace troupe
