#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "actors/node/node_service.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/gate/gate.hpp"
#include "support/captured_errors.hpp"
#include "support/patience.hpp"

using namespace troupe;

namespace {

constexpr std::size_t kSize = 3000;
constexpr std::uint64_t kRun = 7;

/// Certificates of one node, for as long as a test takes.
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

/// A node alone with a driver that never dials.
struct Node {
  NodeFolder folder;
  ObjectStore store;
  NodeService service{store, folder.credentials(), {"127.0.0.1", 1}, 1};
  std::unique_ptr<StoreClient> client = store.connect();

  void begin(std::uint64_t generation, std::uint64_t carried = 0, int carry = -1) {
    BeginGeneration request;
    request.run = kRun;
    request.generation = generation;
    request.token.assign(Token{}.size(), 't');
    request.peers = {{"alice", "", "127.0.0.1", 1}, {"driver", "", "127.0.0.1", 2}};
    request.size = kSize;
    request.state_vectors = 1;
    request.carried_generation = carried;
    request.carry = carry;
    request.plan = {Strategy::automatic, true, 0, {{0}, 1}};
    service.begin(request);
  }

  void place(float value, int buffer) {
    NodeTask task;
    task.kind = NodeTaskKind::create_transfer;
    task.transfer = 1;
    task.floats = kSize;
    service.task(task);
    const auto mapping = client->open(transfer_id(kRun, 1), 0, kSize * sizeof(float));
    std::ranges::fill(mapping->writable_floats(), value);
    client->release(transfer_id(kRun, 1));
    task.kind = NodeTaskKind::place;
    task.buffer = buffer;
    task.timeout_ms = 1000;
    service.task(task);
    task.kind = NodeTaskKind::drop_transfer;
    service.task(task);
  }

  float first_weight(std::uint64_t generation) {
    NodeTask publish;
    publish.kind = NodeTaskKind::publish;
    service.task(publish);
    ObjectId id;
    id.run = kRun;
    id.generation = generation;
    id.kind = ObjectKind::vector;
    const float weight = client->get(id, troupe_test::kPatience)->floats()[0];
    client->release(id);
    return weight;
  }
};

}  // namespace

TEST_CASE("a generation that began here but not everywhere does not lose the committed weights") {
  Node node;
  node.begin(1);
  node.place(5, 1);
  node.begin(2, 1, 1);
  node.begin(3, 1, 1);  // the driver could not begin generation 2 at all nodes
  node.begin(4, 1, 1);
  CHECK(node.first_weight(4) == 5);
}

TEST_CASE("a node without the committed weights says so") {
  Node node;
  node.begin(2);
  try {
    node.begin(3, 1, 0);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::protocol);
  }
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

struct Pair {
  NodeFolder folder;
  Gate driver{{"127.0.0.1", 0},
              std::make_shared<const Credentials>(folder.path() + "/driver", Role::driver),
              [](const Hello&, const TlsStream&) { return ""; },
              [](const Hello&, TlsStream) {}};
  Member alice{folder, "alice", driver.address()};
  Member bob{folder, "bob", driver.address()};

  Pair() {
    BeginGeneration request;
    request.run = kRun;
    request.generation = 1;
    request.token.assign(Token{}.size(), 't');
    request.peers = {{"alice", "", "127.0.0.1", alice.gate.address().port},
                     {"bob", "", "127.0.0.1", bob.gate.address().port},
                     {"driver", "", "127.0.0.1", 1}};
    request.size = kSize;
    request.plan = {Strategy::automatic, true, 0, {{0, 1}, 2}};
    for (Member* const member : {&alice, &bob}) {
      member->service.begin(request);
      ++request.self;
    }
  }
  void connect() { alice.service.data_plane().connect(Deadline(std::chrono::seconds(30))); }
  void send_weights(float value, std::uint64_t ticket) {
    const std::vector<float> weights(kSize, value);
    send_floats(alice.service.data_plane(), 1, kPlaceWindow, ticket, weights, Deadline(std::chrono::seconds(30)));
  }
  void have_bob(NodeTaskKind kind, std::uint64_t ticket) {
    NodeTask task;
    task.kind = kind;
    task.buffer = 1;
    task.ticket = ticket;
    task.timeout_ms = 30'000;
    bob.service.task(task);
  }
};

}  // namespace

TEST_CASE("the first node may write the others' weights only when the driver places some, and once") {
  const std::string dropped = "dropped a data connection of alice: segment 0 of window " + std::to_string(kPlaceWindow);
  for (const bool placed : {true, false}) {
    CAPTURE(placed);
    const troupe_test::CapturedErrors errors;
    Pair pair;
    pair.connect();
    if (placed) {
      pair.have_bob(NodeTaskKind::expect_placed, 0);
      pair.send_weights(7, 1);
      pair.have_bob(NodeTaskKind::place, 1);
      CHECK(errors.text().find("dropped") == std::string::npos);
    }
    pair.send_weights(8, 2);
    CHECK(errors.hears(dropped));
  }
}
