#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "actors/node/floats.hpp"
#include "actors/node/node_service.hpp"
#include "actors/worker/worker.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/gate/gate.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"
#include "troupe/models.hpp"

using namespace troupe;

namespace {

constexpr std::size_t kNodeSize = 3000;
constexpr std::uint64_t kRun = 7;

/// A temporary folder with certificates of nodes.
class NodeFolder {
 public:
  NodeFolder() : folder_((std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string()) {
    REQUIRE(::mkdtemp(folder_.data()) != nullptr);
    create_authority(folder_ + "/certs");
    for (const char* name : {"alice", "bob"}) create_node_credentials(folder_ + "/certs", name);
  }
  ~NodeFolder() { std::filesystem::remove_all(folder_); }
  NodeFolder(const NodeFolder&) = delete;
  NodeFolder& operator=(const NodeFolder&) = delete;

  std::shared_ptr<const Credentials> credentials(const std::string& name = "alice") const {
    return std::make_shared<const Credentials>(folder_ + "/certs/" + name, Role::node);
  }

  std::string path() const { return folder_ + "/certs"; }

 private:
  std::string folder_;
};

/// Returns a request with the settings that all tests share.
BeginGeneration generation(std::uint64_t number, std::vector<PeerNode> peers, std::size_t size) {
  BeginGeneration request;
  request.run = kRun;
  request.generation = number;
  request.token.assign(Token{}.size(), 't');
  request.peers = std::move(peers);
  request.size = size;
  request.state.vectors = 2;
  return request;
}

SlabLayout layout_of(const BeginGeneration& request) {
  SlabLayout layout;
  layout.run = kRun;
  layout.generation = request.generation;
  return layout;
}

/// A node with a driver that never connects. Its state has weights and one vector of the optimizer.
struct Node {
  NodeFolder folder;
  ObjectStore store;
  NodeService service{store, folder.credentials(), {"127.0.0.1", 1}, 1};
  std::unique_ptr<StoreClient> client = store.connect();

  void begin(std::uint64_t number, std::uint64_t carried_generation = 0, const std::vector<int>& carried = {},
             std::int32_t vectors = 2) {
    auto request = generation(number, {{"alice", {"127.0.0.1", 1}}, {"driver", {"127.0.0.1", 2}}}, kNodeSize);
    request.buffers = 3;
    request.state.vectors = vectors;
    request.carried_generation = carried_generation;
    request.carried.assign(carried.begin(), carried.end());
    request.plan = {Strategy::automatic, true, 0, {{0}, 1}};
    service.carry_out(request);
    now = layout_of(request);
  }

  void place(float value, int vector, int buffer) {
    service.carry_out(CreateTransfer{0, 1, kNodeSize});
    const auto mapping = client->open(transfer_id(kRun, 1), 0, kNodeSize * sizeof(float));
    std::ranges::fill(mapping->writable_floats(), value);
    client->release(transfer_id(kRun, 1));
    service.carry_out(Place{0, 1, vector, buffer, 1, 1000});
  }

  /// Publishes the generation and returns the last float of each buffer. The generation accepts no more writers
  /// afterwards.
  std::vector<float> published(int vector) {
    service.carry_out(Publish{});
    std::vector<float> values;
    for (int buffer = 0; buffer < 3; ++buffer) {
      const ObjectId id = now.vector_id(vector, buffer);
      values.push_back(client->get(id, troupe_test::kPatience)->floats()[kNodeSize - 1]);
      client->release(id);
    }
    return values;
  }

  SlabLayout now;
};

}  // namespace

TEST_CASE("a generation that carries two buffers keeps both, with weights and the optimizer's vectors") {
  Node node;
  node.begin(1);
  for (int buffer = 0; buffer < 3; ++buffer) {
    node.place(5.0F + static_cast<float>(buffer), 0, buffer);
    node.place(25.0F + static_cast<float>(buffer), 1, buffer);
  }
  node.begin(2, 1, {0, 2});
  SUBCASE("weights") { CHECK(node.published(0) == std::vector<float>{5, 7, 0}); }
  SUBCASE("the optimizer's") { CHECK(node.published(1) == std::vector<float>{25, 27, 0}); }
}

TEST_CASE("after a generation that did not begin on all nodes, the next one carries from its first buffers") {
  Node node;
  node.begin(1);
  node.place(5, 0, 1);
  node.place(6, 0, 2);
  node.begin(2, 1, {1, 2});
  node.begin(3, 1, {1, 2});  // the driver could not begin generation 2 on all nodes
  node.begin(4, 1, {1, 2});
  CHECK(node.published(0) == std::vector<float>{5, 6, 0});
}

TEST_CASE("a generation of another shape that did not begin on all nodes does not change the state") {
  Node node;
  node.begin(1);
  node.place(5, 0, 1);
  node.place(25, 1, 1);
  node.begin(2, 1, {1}, 3);
  node.begin(3, 1, {1}, 4);
  node.begin(4, 1, {1});
  SUBCASE("weights") { CHECK(node.published(0) == std::vector<float>{5, 0, 0}); }
  SUBCASE("the optimizer's") { CHECK(node.published(1) == std::vector<float>{25, 0, 0}); }
}

TEST_CASE("a pinned buffer can be dropped after a generation that did not begin on all nodes") {
  Node node;
  node.begin(1);
  node.place(5, 0, 0);
  node.place(6, 0, 1);
  node.place(7, 0, 2);
  node.begin(2, 1, {0, 1, 2});
  node.begin(3, 1, {1, 2});
  node.begin(4, 1, {2});
  CHECK(node.published(0) == std::vector<float>{7, 0, 0});
}

TEST_CASE("a node without the committed weights throws protocol") {
  Node node;
  node.begin(1);
  node.begin(2, 1, {1});
  const auto code_of_next = [&](std::uint64_t carried_generation, const std::vector<int>& carried) {
    return code_of([&] { node.begin(3, carried_generation, carried); });
  };
  CHECK(code_of_next(7, {1}) == ErrorCode::protocol);
  node.service.carry_out(Publish{});
  CHECK(code_of_next(1, {0}) == ErrorCode::protocol);  // only buffer 1 of generation 1 still exists
  CHECK_FALSE(code_of_next(1, {1}));
}

namespace {

/// One of two nodes.
struct Member {
  explicit Member(const NodeFolder& folder, const std::string& name, const Address& driver)
      : service(store, folder.credentials(name), driver, 1),
        gate(
            {"127.0.0.1", 0}, folder.credentials(name),
            [this](const Hello& hello, const TlsStream& stream) { return service.data_plane().admit(hello, stream); },
            [this](const Hello& hello, TlsStream stream) { service.data_plane().take(hello, std::move(stream)); }) {}

  ObjectStore store;
  NodeService service;
  Gate gate;
};

constexpr std::chrono::seconds kSoon{30};
constexpr std::int64_t kSoonMs = 30'000;

/// Two nodes that have connected to each other.
struct Pair {
  NodeFolder folder;
  Gate driver{{"127.0.0.1", 0},
              std::make_shared<const Credentials>(folder.path() + "/driver", Role::driver),
              [](const Hello&, const TlsStream&) { return ""; },
              [](const Hello&, TlsStream) {}};
  Member alice{folder, "alice", driver.address()};
  Member bob{folder, "bob", driver.address()};
  SlabLayout layout;

  explicit Pair(std::size_t size = kNodeSize) {
    auto request = generation(1,
                              {{"alice", {"127.0.0.1", alice.gate.address().port}},
                               {"bob", {"127.0.0.1", bob.gate.address().port}},
                               {"driver", {"127.0.0.1", 1}}},
                              size);
    request.plan = {Strategy::automatic, true, 0, {{0, 1}, 2}};
    layout = layout_of(request);
    for (Member* const member : {&alice, &bob}) {
      member->service.carry_out(request);
      ++request.self;
    }
    for (Member* const member : {&alice, &bob}) member->service.carry_out(Connect{0, kSoonMs});
  }
  void send_weights(float value, std::uint64_t ticket) {
    const std::vector<float> weights(kNodeSize, value);
    send_floats(alice.service.data_plane(), 1, kPlaceWindow, ticket, weights, Deadline(kSoon));
  }
};

/// Gives access to a vector in a node's store, before other processes may read it.
class Vector {
 public:
  Vector(Member& member, const ObjectId& id, std::size_t size)
      : store_(member.store.connect()), mapping_(store_->open(id, 0, size * sizeof(float))), size_(size) {}

  std::span<float> floats() const { return mapping_->writable_floats().first(size_); }

 private:
  std::unique_ptr<StoreClient> store_;
  std::shared_ptr<Mapping> mapping_;
  std::size_t size_;
};

}  // namespace

TEST_CASE("the first node may write weights of others only if the driver places them, and only once") {
  const std::string dropped = "dropped a data connection of alice: segment 0 of window " + std::to_string(kPlaceWindow);
  for (const bool placed : {true, false}) {
    CAPTURE(placed);
    const troupe_test::CapturedErrors errors;
    Pair pair;
    if (placed) {
      pair.bob.service.carry_out(ExpectPlaced{0, kWeightsVector, 1});
      pair.send_weights(7, 1);
      pair.bob.service.carry_out(Place{0, 0, kWeightsVector, 1, 1, kSoonMs});
      CHECK(errors.text().find("dropped") == std::string::npos);
    }
    pair.send_weights(8, 2);
    CHECK(errors.hears(dropped));
  }
}

TEST_CASE("gathering slices completes the first node's vector, repeatedly") {
  constexpr std::size_t kLarge = 1'000'000;  // several segments from bob
  constexpr int kVector = 1;
  constexpr int kBuffer = 1;
  Pair pair(kLarge);
  const Range of_bob = make_plan({Strategy::automatic, true, 0, {{0, 1}, 2}}, kLarge).slice_of(1);
  REQUIRE(of_bob.size() * sizeof(float) > kTransferSegmentBytes);
  const ObjectId id = pair.layout.vector_id(kVector, kBuffer);
  const Vector alices(pair.alice, id, kLarge);
  const Vector bobs(pair.bob, id, kLarge);
  const Vector others(pair.alice, pair.layout.vector_id(kVector, 0), kLarge);
  for (std::uint64_t ticket = 1; ticket < 4; ++ticket) {
    CAPTURE(ticket);
    const auto last = static_cast<float>(ticket);
    std::ranges::fill(alices.floats(), -last);
    std::ranges::fill(bobs.floats(), last);
    pair.alice.service.carry_out(ExpectSlices{0, kVector, kBuffer});
    for (Member* const member : {&pair.bob, &pair.alice})
      member->service.carry_out(GatherSlices{0, kVector, kBuffer, ticket, kSoonMs});
    std::vector<float> whole(kLarge, -last);
    std::fill(whole.begin() + static_cast<std::ptrdiff_t>(of_bob.begin), whole.end(), last);
    CHECK(std::ranges::equal(alices.floats(), whole));
    CHECK(std::ranges::all_of(bobs.floats(), [&](float each) { return each == last; }));
  }
  CHECK(std::ranges::all_of(others.floats(), [](float each) { return each == 0; }));
}

TEST_CASE("another node may write its slices only if the driver gathers them, and only once") {
  const std::string dropped =
      "dropped a data connection of bob: segment 0 of window " + std::to_string(kGatherWindow + 1);
  for (const bool expected : {true, false}) {
    CAPTURE(expected);
    const troupe_test::CapturedErrors errors;
    Pair pair;
    GatherSlices gather{0, 1, 0, 1, kSoonMs};
    if (expected) {
      pair.alice.service.carry_out(ExpectSlices{0, 1, 0});
      pair.bob.service.carry_out(gather);
      pair.alice.service.carry_out(gather);
      CHECK(errors.text().find("dropped") == std::string::npos);
    }
    ++gather.ticket;
    pair.bob.service.carry_out(gather);
    CHECK(errors.hears(dropped));
  }
}

TEST_CASE("requests of the driver that are out of order or out of range are refused") {
  Node node;
  const auto refused = [&](const auto& request) {
    return code_of([&] { node.service.carry_out(request); }) == ErrorCode::protocol;
  };
  CHECK(refused(Publish{}));
  CHECK(refused(ClearState{0, 0}));
  CHECK(refused(ExpectPlaced{0, 0, 0}));
  CHECK(refused(Place{0, 1, 0, 0, 1, 10}));
  CHECK(refused(ExpectSlices{0, 0, 0}));
  CHECK(refused(GatherSlices{0, 0, 0, 1, 10}));
  CHECK(code_of([&] { node.service.exchange(); }) == ErrorCode::protocol);
  node.begin(1);
  CHECK(refused(CreateTransfer{0, 1, (std::uint64_t{1} << 62) + 1}));
  CHECK(refused(ExpectTransfer{0, 1, (std::uint64_t{1} << 62) + 1}));
  node.service.carry_out(CreateTransfer{0, 1, 4});
  CHECK(refused(SendTransfer{0, 1, std::uint64_t{1} << 40, 1, 10}));
  node.service.carry_out(CreateTransfer{0, 2, 4});
  node.service.carry_out(DropTransfers{});
  CHECK(refused(SendTransfer{0, 2, 4, 1, 10}));
  node.service.carry_out(CreateTransfer{0, 1, 4});
  CHECK(refused(Place{0, 1, 0, 0, 1, 10}));  // 4 floats in whole pages, for a vector of 3000
}

TEST_CASE("workers with another size or plan than their generation get no slabs") {
  Node node;
  node.begin(1);
  const PlanRequest plan{Strategy::automatic, true, 0, {{0}, 1}};
  SlabLayout own;
  own.vectors = 2;
  own.run = kRun;
  own.generation = 1;
  own.size = kNodeSize;
  own.buffers = 3;
  own.in_part = true;
  own.own = {0, kNodeSize};
  node.service.check_alike(own, plan, 0);
  const auto refused = [&](auto change) {
    SlabLayout layout = own;
    PlanRequest other = plan;
    change(layout, other);
    return code_of([&] { node.service.check_alike(layout, other, 0); }) == ErrorCode::protocol;
  };
  CHECK(refused([](auto& layout, auto&) { layout.size += 1; }));
  CHECK(refused([](auto& layout, auto&) { layout.run += 1; }));
  CHECK(refused([](auto& layout, auto&) { layout.generation += 1; }));
  CHECK(refused([](auto& layout, auto&) { layout.buffers = 2; }));
  CHECK(refused([](auto& layout, auto&) { layout.vectors = 3; }));
  CHECK(refused([](auto& layout, auto&) { layout.singles = 1; }));
  CHECK(refused([](auto& layout, auto&) { layout.spares = 0; }));
  CHECK(refused([](auto& layout, auto&) { layout.num_shards = 2; }));
  CHECK(refused([](auto& layout, auto&) { layout.shards = {0, 2}; }));
  CHECK(refused([](auto& layout, auto&) { layout.own = {0, 5}; }));
  CHECK(refused([](auto&, auto& other) { other.strategy = Strategy::ring; }));
  CHECK(refused([](auto&, auto& other) { other.deterministic = false; }));
  CHECK(refused([](auto&, auto& other) { other.topology.num_shards = 2; }));
  CHECK(refused([](auto&, auto& other) { other.topology.node_of_lane = {0, 0}; }));
  CHECK(refused([](auto&, auto& other) { other.in_pieces = true; }));
}

TEST_CASE("a worker refuses requests before it is built and has its slabs") {
  ObjectStore store;
  const auto worker = std::make_shared<Worker>(0, store.connect(), [](const ReplicaContext&) {
    return std::make_unique<models::FunctionModel>(
        4, [](const ShardStep&, std::span<const float>) { return BatchResult(); },
        [](const ShardStep&, std::span<const float>, std::span<float>) {});
  });
  const auto code = [&](const auto& request) {
    std::promise<std::int32_t> answer;
    worker->carry_out(request, [&](const auto& reply) { answer.set_value(reply.failure.code); });
    return answer.get_future().get();
  };
  constexpr auto kProtocol = static_cast<std::int32_t>(ErrorCode::protocol);
  Build build;
  build.plan = {Strategy::automatic, true, 0, {{0}, 1}};
  CHECK(code(Compute{}) == kProtocol);
  for (const std::int32_t devices : {-1, 0, 2, 2'000'000'000}) {
    build.devices = devices;
    CHECK(code(build) == kProtocol);
  }
  build.devices = 1;
  CHECK(code(build) == -1);
  CHECK(code(Compute{}) == kProtocol);
  CHECK(code(ReduceMean{}) == kProtocol);
  CHECK(code(Apply{}) == kProtocol);
  CHECK(code(FindNonFinite{}) == kProtocol);
  CHECK(code(MapSlabs{}) == kProtocol);
  CHECK(code(ExportVector{}) == kProtocol);
  CHECK(code(Evaluate{}) == kProtocol);
  CHECK(code(CallModel{0, "echo", 1, 5}) == kProtocol);
  CHECK(code(Fence{}) == -1);
  CHECK(code(Stop{}) == -1);
  CHECK(code(Initialize{}) == kProtocol);
}
