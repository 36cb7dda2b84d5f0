#include "collectives/group/ranks.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

#include "collectives/group/node_communicator.hpp"
#include "collectives/group/shared_communicator.hpp"
#include "collectives/loop_transport.hpp"
#include "runtime/store/object_store.hpp"

namespace troupe {
namespace {

using Communicate = std::function<std::shared_ptr<Communicator>(int rank)>;

void run_rank(Communicator& communicator, Group& group, const RankWork& work) {
  try {
    work(group);
  } catch (const std::exception& error) {
    communicator.leave(ErrorCode::model_failed, std::string("threw: ") + error.what());
    throw;
  }
  communicator.leave(ErrorCode::model_failed, "has returned from its function");
}

std::vector<std::optional<Error>> run_on_threads(int size, const Communicate& communicate, const RankWork& work) {
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        const auto communicator = communicate(rank);
        Group group(communicator);
        run_rank(*communicator, group, work);
      } catch (const Error& error) {
        errors[static_cast<std::size_t>(rank)] = error;
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = Error(ErrorCode::model_failed, error.what());
      }
    });
  for (std::thread& each : threads) each.join();
  return errors;
}

RankName name_of(int rank) { return {10 + rank, "node " + std::to_string(rank)}; }

using Errors = std::vector<std::optional<Error>>;

Errors run_on_one_machine(int size, const RankWork& work, std::chrono::milliseconds timeout) {
  static std::uint64_t last = 0;
  const ObjectId id{.run = ++last, .kind = ObjectKind::group};
  ObjectStore store;
  const auto communicate = [&](int rank) {
    return std::make_shared<SharedCommunicator>(std::shared_ptr<StoreClient>(store.connect()),
                                                SharedCommunicator::Place{id, rank, size, name_of(rank), timeout});
  };
  return run_on_threads(size, communicate, work);
}

Errors run_on_nodes(const NodeOfRank& nodes, const RankWork& work, std::chrono::milliseconds timeout) {
  const auto size = static_cast<int>(nodes.size());
  LoopNetwork network(nodes.back() + 1);
  ObjectStore store;
  std::vector<std::unique_ptr<StoreClient>> clients;
  std::vector<std::shared_ptr<NodeGroup>> groups;
  NodeGroup::Place place{{.run = 1, .kind = ObjectKind::group}, 0, nodes, {}};
  for (int rank = 0; rank < size; ++rank) place.names.push_back(name_of(rank));
  for (place.node = 0; place.node <= nodes.back(); ++place.node) {
    place.id.generation = static_cast<std::uint64_t>(place.node);  // outside of tests, each node has a store of its own
    clients.push_back(store.connect());
    const std::shared_ptr<Transport> transport(&network.endpoint(place.node), [](Transport*) {});
    groups.push_back(std::make_shared<NodeGroup>(place, transport, *clients.back()));
  }
  const auto communicate = [&](int rank) {
    const auto node = static_cast<std::size_t>(nodes[static_cast<std::size_t>(rank)]);
    return std::make_shared<NodeCommunicator>(groups[node], rank, timeout);
  };
  auto errors = run_on_threads(size, communicate, work);
  CHECK(network.complaint() == "");
  groups.clear();
  return errors;
}

}  // namespace

std::string text_of(const NodeOfRank& nodes) {
  std::string text = "ranks on nodes";
  for (const std::int32_t node : nodes) text += ' ' + std::to_string(node);
  return text;
}

std::vector<NodeOfRank> places_of(std::size_t size) {
  std::vector<NodeOfRank> places{NodeOfRank(size, 0)};
  if (size == 2) places.push_back({0, 1});
  if (size == 3) places.insert(places.end(), {{0, 1, 1}, {0, 1, 2}});
  if (size == 4) places.insert(places.end(), {{0, 0, 1, 1}, {0, 1, 1, 2}});
  if (size == 7) places.insert(places.end(), {{0, 0, 0, 0, 0, 1, 1}, {0, 1, 1, 1, 2, 2, 3}});
  return places;
}

Errors run_ranks(const NodeOfRank& nodes, const RankWork& work, std::chrono::milliseconds timeout) {
  return nodes.back() == 0 ? run_on_one_machine(static_cast<int>(nodes.size()), work, timeout)
                           : run_on_nodes(nodes, work, timeout);
}

void run_ranks_well(const NodeOfRank& nodes, const RankWork& work) {
  for (const auto& error : run_ranks(nodes, work))
    CHECK_MESSAGE(!error, (error ? text_of(nodes) + ": " + error->what() : ""));
}

}  // namespace troupe
