#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "actors/control_frames.hpp"
#include "actors/placements/cluster/cluster.hpp"
#include "cluster/attacks.hpp"
#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"
#include "cluster/rogue_node.hpp"
#include "cluster/training.hpp"
#include "runtime/clock.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/gate/gate.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/idle_callers.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

/// Creates an expired certificate of the nodes' authority.
std::string make_expired(const Authority& authority) {
  const std::string root = authority.folder().path().string();
  const auto signer = net::read_certified_key(root + "/ca.pem", root + "/ca-key.pem");
  net::CertificateText text;
  text.name = "node0";
  text.alternative_name = net::role_name(Role::node);
  text.valid_from = -10 * net::kDay;
  text.valid_until = -net::kDay;
  const std::string folder = root + "/expired";
  net::write_member(folder, signer.certificate.get(), net::make_member(signer, text));
  return folder;
}

std::vector<std::byte> hello_bytes(const Hello& hello) {
  const auto bytes = encode(hello);
  return {bytes.begin(), bytes.end()};
}

/// Returns the reason why a gate refuses a hello from a peer with valid credentials.
std::string refusal_of(const Address& gate, const Credentials& credentials, Role there, const Hello& hello) {
  return message_of([&] {
    TlsStream stream = TlsStream::dial(gate, credentials, there, Deadline(20s));
    say_hello(stream, hello, Deadline(20s));
  });
}

/// Tries all attacks without credentials at a gate.
void attack_without_credentials(const Address& gate, const Authority& authority, const Authority& foreign) {
  const auto hello = hello_bytes(make_hello(Purpose::control));
  CHECK(say_over_tls(gate, "", hello) == 0);
  CHECK(say_over_tls(gate, foreign.node(0), hello) == 0);
  CHECK(say_over_tls(gate, foreign.driver(), hello) == 0);
  CHECK(say_over_tls(gate, make_expired(authority), hello) == 0);
  CHECK(say_over_tls(gate, authority.node(0), hello, 0x0303) == 0);
  const std::string http = "GET / HTTP/1.0\r\n\r\n";
  CHECK(say_plain(gate, std::as_bytes(std::span(http))) != kNotHungUp);
  CHECK(say_plain(gate, garbage(1 << 16)) != kNotHungUp);
  for (int operation = 0; operation < 8; ++operation) {
    Frame in_place_of_hello = frame(header(static_cast<wire::Operation>(operation), 1, 1));
    CHECK(say_plain(gate, in_place_of_hello) != kNotHungUp);
    in_place_of_hello.resize(kHelloBytes);
    CHECK(say_over_tls(gate, authority.node(0), in_place_of_hello) == 0);
  }
  CHECK(say_over_tls(gate, authority.node(0), garbage(kHelloBytes)) == 0);
}

/// Attacks a gate of a node or the driver with the certificate of node 2 and the secrets of the run.
void attack_with_secrets(const Address& gate, Role there, const Secrets& secrets, const Authority& authority) {
  const Credentials own(authority.node(2), Role::node);
  const auto refusal = [&](auto change) {
    Hello hello = secrets.hello;
    change(hello);
    return refusal_of(gate, own, there, hello);
  };
  CHECK(contains(refusal([](Hello&) {}), "already exists"));
  CHECK(contains(refusal([](Hello& hello) { ++hello.run; }), "another run"));
  CHECK(contains(refusal([](Hello& hello) { ++hello.generation; }), "another generation"));
  CHECK(contains(refusal([](Hello& hello) { hello.token[15] ^= std::byte{1}; }), "token"));
  CHECK(contains(refusal([](Hello& hello) { hello.node = 1; }), "it is node2, but claims to be node1"));
  CHECK(contains(refusal([](Hello& hello) { hello.node = 3; }), "node"));  // the driver
  CHECK(contains(refusal([](Hello& hello) { hello.node = -1; }), "does not exist"));
  CHECK(contains(refusal([](Hello& hello) { hello.stream = 1; }), "too many"));
  CHECK(contains(refusal([](Hello& hello) { hello.protocol = 99; }), "protocol 99"));
  CHECK(contains(refusal([](Hello& hello) { hello.purpose = Purpose::control; }),
                 there == Role::driver ? "all its nodes" : "not a driver"));
}

}  // namespace

TEST_CASE("a run continues unharmed during attacks on its gates") {
  Nodes nodes(2);
  // The run has three nodes. The last is a spy, which means a node whose secrets leak.
  create_node_credentials(nodes.authority().folder().path().string(), "node2");
  const auto spy = start_rogue("spy", nodes, 2);
  const Authority foreign(1);
  std::string heard;
  std::vector<float> weights;
  int steps = 0;
  {
    const CapturedErrors errors;
    Options options = nodes.options(3);
    Training training(options);
    REQUIRE(training.goes_on());
    const Secrets secrets = read_secrets(rogue_file("spy", nodes, 2));
    REQUIRE(secrets.gates.size() == 4);
    const auto pids = training.pids();
    const std::size_t before_here = resident_bytes(::getpid());
    const std::size_t before_there = resident_bytes(pids[0]);
    std::vector<FileDescriptor> half_open;
    for (const auto& [gate, role] : {std::pair{secrets.gates[3], Role::driver}, {secrets.gates[0], Role::node}}) {
      CAPTURE(gate.text());
      attack_without_credentials(gate, nodes.authority(), foreign);
      attack_with_secrets(gate, role, secrets, nodes.authority());
      for (int i = 0; i < 200; ++i) half_open.push_back(connect_plain(gate));
      CHECK(training.goes_on());
    }
    CHECK(comes_true([&] { return contains(errors.text(), "timed out during the handshake"); }, 20s));
    CHECK(nodes[0].says("timed out during the handshake"));
    CHECK(training.goes_on());
    CHECK(contains(ask_for_nodes(Address::parse(nodes.listen()), nodes.authority().node(0)), "serving"));
    const auto ask_node = [&] { ask_for_nodes(secrets.gates[0], nodes.authority().node(0)); };
    CHECK(contains(message_of(ask_node), "a driver's is needed"));
    CHECK(resident_bytes(::getpid()) < before_here + kMemory);
    CHECK(resident_bytes(pids[0]) < before_there + kMemory);
    CHECK(training.finish() == "");
    weights = training.weights();
    steps = training.steps();
    heard = errors.text();
  }
  CHECK(bits_of(weights) == bits_of(run_here(Hold{}.text(), 3, steps)));
  check_log(heard, 40);
  check_log(nodes[0].err(), 40);
}

TEST_CASE("a run that may open 128 files continues while 200 clients connect and stay silent") {
  Nodes nodes(2);
  const CapturedErrors errors;
  const IdleCallers idle(Address::parse(nodes.listen()).port);
  std::vector<float> weights;
  int steps = 0;
  {
    Options options = nodes.options(2);
    Training training(options);
    CHECK(training.goes_on());
    CHECK(comes_true([&] { return contains(errors.text(), "too many connections at once"); }, 20s));
    CHECK(training.goes_on());
    CHECK(training.finish() == "");
    weights = training.weights();
    steps = training.steps();
  }
  CHECK(bits_of(weights) == bits_of(run_here(Hold{}.text(), 2, steps)));
}

TEST_CASE("a join is accepted once and from a node only") {
  Nodes nodes(1);
  create_node_credentials(nodes.authority().folder().path().string(), "other");
  const std::string folder = nodes.authority().folder().path().string();
  const Credentials other(folder + "/other", Role::node);
  const Credentials driver(nodes.authority().driver(), Role::driver);
  const CapturedErrors errors;
  const Address gate = Address::parse(nodes.listen());
  std::optional<TlsStream> first;
  std::string twice;
  std::string as_driver;
  // The attack happens while the driver waits for its second node.
  std::thread attacker([&] {
    Hello hello = make_hello(Purpose::control);
    hello.token.fill(std::byte{7});
    comes_true(
        [&] { return !code_of([&] { first.emplace(TlsStream::dial(gate, other, Role::driver, Deadline(20s))); }); },
        20s);
    say_hello(*first, hello, Deadline(20s));
    twice = refusal_of(gate, other, Role::driver, hello);
    hello.token.fill(std::byte{8});
    as_driver = refusal_of(gate, driver, Role::driver, hello);
  });
  Options options = nodes.options(2);
  options.timeouts.start = 3s;
  const auto start = [&] { DistributedSGD("hold", options); };
  CHECK(code_of(start) == ErrorCode::timeout);
  attacker.join();
  CHECK(contains(twice, "seen before"));
  CHECK(contains(as_driver, "only a node may join"));
  first.reset();
  DistributedSGD alone("hold", nodes.options(1));
  CHECK(alone.step().step == 1);
}

namespace {

/// Listens at the driver's address until a node has connected and left. Returns whether the node would have joined.
bool is_believed(const Address& at, const std::string& folder, Role role) {
  const CapturedErrors errors;
  std::atomic<bool> taken = false;
  const Gate gate(
      at, std::make_shared<const Credentials>(folder, role), [](const Hello&, const TlsStream&) { return ""; },
      [&](const Hello&, TlsStream) { taken = true; });
  CHECK(comes_true([&] { return taken || contains(errors.text(), "troupe: refused"); }));
  return taken;
}

}  // namespace

TEST_CASE("a node joins drivers only and prints once why it refuses another peer") {
  Nodes nodes(1);
  create_node_credentials(nodes.authority().folder().path().string(), "impostor");
  const Authority foreign(0);
  const Address at = Address::parse(nodes.listen());
  const std::string impostor = nodes.authority().folder() / "impostor";
  // When the node returns for the third time, it has printed all messages about the second time.
  for (int time = 0; time < 3; ++time) CHECK_FALSE(is_believed(at, impostor, Role::node));
  CHECK(count(nodes[0].err(), "a driver's is needed") == 1);
  for (int time = 0; time < 3; ++time) CHECK_FALSE(is_believed(at, foreign.driver(), Role::driver));
  CHECK(count(nodes[0].err(), "its certificate is invalid") == 1);
  DistributedSGD sgd("hold", nodes.options());
  CHECK(sgd.step().step == 1);
}

TEST_CASE("a node that sends an unannounced segment ends its run and does not affect the next run") {
  Nodes nodes(2);
  create_node_credentials(nodes.authority().folder().path().string(), "node2");
  std::size_t dropped = 0;
  for (const char* mode : {"oversized", "unannounced"}) {
    CAPTURE(mode);
    {
      const auto rogue = start_rogue(mode, nodes, 2);
      const auto run = [&] { DistributedSGD("hold", nodes.options(3)).step(); };
      std::string node;
      std::string message;
      try {
        run();
      } catch (const Error& error) {
        node = error.where().node;
        message = error.what();
      }
      INFO(message);
      CHECK((node == "node2" || node == "node0"));  // each blames the other
    }
    CHECK(nodes[0].says("dropped a data connection of node2"));
    CHECK(count(nodes[0].err(), "dropped a data connection of node2") == ++dropped);
    DistributedSGD sgd("hold", nodes.options(2));
    CHECK(sgd.step().step == 1);
  }
}
