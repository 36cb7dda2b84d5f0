#include "cluster/rogue_node.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "actors/caf.hpp"
#include "actors/node_service.hpp"
#include "actors/system.hpp"
#include "actors/tls_transport.hpp"
#include "actors/worker_actor.hpp"
#include "cluster/child.hpp"
#include "runtime/net/gate.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {
namespace {

Deadline soon() { return Deadline(20s); }

/// Everything that a rogue's actor needs.
struct Rogue {
  std::string mode;
  std::string file;
  std::shared_ptr<const Credentials> credentials;
  ObjectStore store;
  std::shared_ptr<NodeService> service;
  BeginGeneration generation = {};

  Rogue(std::string what, std::string to, const Address& driver, const std::string& certs)
      : mode(std::move(what)),
        file(std::move(to)),
        credentials(std::make_shared<const Credentials>(certs, Role::node)),
        service(std::make_shared<NodeService>(store, credentials, driver, 1)) {}

  Hello data_hello() const {
    Hello hello = make_hello(Purpose::data);
    hello.run = generation.run;
    hello.generation = generation.generation;
    hello.token = membership_of(generation).token;
    hello.node = generation.self;
    return hello;
  }
  void tell_secrets() const;
  void connect(const NodeTask& request);
};

void Rogue::tell_secrets() const {
  {
    std::ofstream out(file + ".new", std::ios::binary);
    const auto hello = encode(data_hello());
    out.write(reinterpret_cast<const char*>(hello.data()), hello.size());
    for (const NodePeer& peer : generation.peers) out << peer.host << ':' << peer.port << '\n';
  }
  std::filesystem::rename(file + ".new", file);
}

void Rogue::connect(const NodeTask& request) {
  service->task(request);
  if (mode == "spy") return;
  const bool oversized = mode == "oversized";
  const std::vector<std::byte> bytes(oversized ? std::size_t{64} << 20 : 16);
  try {
    service->data_plane().send(0, oversized ? 0 : 0x12345678, 1, 0, bytes, soon());
  } catch (const Error& error) {
    std::cerr << "rogue: " << error.what() << std::endl;  // it has been dropped
  }
}

template <class Request>
TaskDone done(const Request& request) {
  TaskDone reply;
  reply.round = request.round;
  reply.worker = request.member;
  return reply;
}

caf::behavior rogue_actor(caf::event_based_actor* self, const std::shared_ptr<Rogue>& rogue, const caf::actor& driver,
                          const NodeJoin& join) {
  self->send(driver, join);
  return {
      [=](const StartWorker& request) {
        auto worker = std::make_shared<Worker>(request.worker, rogue->store.connect(), CreateModel(), rogue->service);
        self->system().spawn<caf::detached>(worker_actor, std::move(worker), driver);
      },
      [=](const BeginGeneration& request) {
        rogue->generation = request;
        rogue->service->begin(request);
        if (rogue->mode == "spy") rogue->tell_secrets();
        self->send(driver, done(request));
      },
      [=](const NodeTask& request) {
        if (request.kind == NodeTaskKind::connect) {
          rogue->connect(request);
        } else {
          rogue->service->task(request);
        }
        self->send(driver, done(request));
      },
  };
}

TlsStream join_driver(const Address& driver, const Credentials& credentials, const Hello& hello) {
  for (;;) try {
      TlsStream stream = TlsStream::dial(driver, credentials, Role::driver, soon());
      say_hello(stream, hello, soon());
      return stream;
    } catch (const Error&) {
      std::this_thread::sleep_for(100ms);
    }
}

Hello joining_hello() {
  Hello hello = make_hello(Purpose::control);
  std::random_device random;
  for (std::byte& each : hello.token) each = static_cast<std::byte>(random());
  return hello;
}

/// One a connection; some may be left open, waiting for more.
[[noreturn]] void send_caf_headers(const Rogue& rogue, const Address& driver) {
  std::vector<TlsStream> connections;
  for (const CafHeader& header : crafted_caf_headers()) {
    connections.push_back(join_driver(driver, *rogue.credentials, joining_hello()));
    connections.back().write_all(header, soon());
  }
  std::cerr << "rogue: sent all headers" << std::endl;
  for (;;) ::pause();
}

void serve(Rogue& own, const Address& address, TlsStream control, const std::string& token) {
  const std::shared_ptr<Rogue> rogue(&own, [](Rogue*) {});
  DataPlane& data_plane = rogue->service->data_plane();
  const Gate gate(
      {control.local_host(), 0}, rogue->credentials,
      [&](const Hello& hello, const TlsStream& stream) { return data_plane.admit(hello, stream); },
      [&](const Hello& hello, TlsStream stream) { data_plane.take(hello, std::move(stream)); });
  NodeJoin join;
  join.token = token;
  join.pid = ::getpid();
  join.host = gate.address().host;
  join.port = gate.address().port;
  SystemConfig config(1, Placement::cluster);
  caf::actor_system system(config);
  const caf::actor driver = connect_tls(system, std::move(control), 10s);
  system.spawn<caf::detached>(rogue_actor, rogue, driver, join);
  caf::scoped_actor self(system);
  self->monitor(driver);
  self->receive([](const caf::down_msg&) {});
  std::cerr << "rogue: the run at " << address.text() << " has ended" << std::endl;
  ::_exit(0);
}

}  // namespace

void run_rogue(const std::string& mode, const std::string& join, const std::string& certs, const std::string& file) {
  try {
    const Address address = Address::parse(join);
    Rogue rogue(mode, file, address, certs);
    if (mode == "caf-headers") send_caf_headers(rogue, address);
    const Hello hello = joining_hello();
    TlsStream control = join_driver(address, *rogue.credentials, hello);
    serve(rogue, address, std::move(control), {reinterpret_cast<const char*>(hello.token.data()), hello.token.size()});
  } catch (const std::exception& error) {
    std::cerr << "rogue: " << error.what() << std::endl;
  }
  ::_exit(1);
}

Secrets read_secrets(const std::string& file) {
  if (!comes_true([&] { return std::filesystem::exists(file); }, 20s)) throw std::runtime_error("no spy has joined");
  std::ifstream in(file, std::ios::binary);
  std::array<std::byte, kHelloBytes> bytes{};
  in.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  Secrets secrets;
  secrets.hello = decode_hello(bytes).value();
  for (std::string line; std::getline(in, line);) secrets.gates.push_back(Address::parse(line));
  return secrets;
}

std::vector<CafHeader> crafted_caf_headers() {
  std::vector<CafHeader> headers;
  for (const unsigned char length : {0x00, 0x10})
    for (unsigned char operation = 0; operation < 8; ++operation) {
      CafHeader header{};
      header[0] = static_cast<std::byte>(operation);
      header[4] = static_cast<std::byte>(length);
      header[23] = std::byte{1};  // from actor 1
      header[31] = std::byte{1};  // to actor 1
      headers.push_back(header);
    }
  return headers;
}

}  // namespace troupe_test
