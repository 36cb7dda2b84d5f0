#include "collectives/group/ranks.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "runtime/store/object_store.hpp"

namespace troupe {
namespace {

void run_rank(Group& group, SharedCommunicator& communicator, const RankWork& work) {
  try {
    work(group);
  } catch (const std::exception& error) {
    communicator.leave(ErrorCode::model_failed, std::string("threw: ") + error.what());
    throw;
  }
  communicator.leave(ErrorCode::model_failed, "has returned from its function");
}

}  // namespace

std::vector<std::optional<Error>> run_ranks(int size, const RankWork& work, std::chrono::milliseconds timeout) {
  static std::uint64_t last = 0;
  const ObjectId id{.run = ++last, .kind = ObjectKind::group};
  ObjectStore store;
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        const RankName name{10 + rank, "node " + std::to_string(rank)};
        auto communicator = std::make_shared<SharedCommunicator>(
            std::shared_ptr<StoreClient>(store.connect()), SharedCommunicator::Place{id, rank, size, name, timeout});
        Group group(communicator);
        run_rank(group, *communicator, work);
      } catch (const Error& error) {
        errors[static_cast<std::size_t>(rank)] = error;
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = Error(ErrorCode::model_failed, error.what());
      }
    });
  for (std::thread& each : threads) each.join();
  return errors;
}

void run_ranks_well(int size, const RankWork& work) {
  for (const auto& error : run_ranks(size, work)) CHECK_MESSAGE(!error, (error ? error->what() : ""));
}

}  // namespace troupe
