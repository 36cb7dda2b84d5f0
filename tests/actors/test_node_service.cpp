#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "actors/node_service.hpp"
#include "runtime/net/authority.hpp"

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
    create_node_credentials(folder_ + "/certs", "alice");
  }
  ~NodeFolder() { std::filesystem::remove_all(folder_); }
  NodeFolder(const NodeFolder&) = delete;
  NodeFolder& operator=(const NodeFolder&) = delete;

  std::shared_ptr<const Credentials> credentials() const {
    return std::make_shared<const Credentials>(folder_ + "/certs/alice", Role::node);
  }

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
    request.plan = {"auto", true, 0, {0}, 1};
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
    id.kind = ObjectKind::weights;
    const float weight = client->get(id, std::chrono::seconds(5))->floats()[0];
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
