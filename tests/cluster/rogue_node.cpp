#include "cluster/rogue_node.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>

#include "actors/caf.hpp"
#include "actors/control_attacks.hpp"
#include "actors/node/node_service.hpp"
#include "actors/transport/local_transport.hpp"
#include "actors/transport/system.hpp"
#include "actors/worker/worker_actor.hpp"
#include "cluster/child.hpp"
#include "cluster/tap.hpp"
#include "runtime/net/gate/gate.hpp"
#include "support/join_driver.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {
namespace {

/// The state of a rogue's actor.
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
  void carry_out(const auto& request) { service->carry_out(request); }
  void carry_out(const BeginGeneration& request);
  void carry_out(const Connect& request);
};

void Rogue::tell_secrets() const {
  {
    std::ofstream out(file + ".new", std::ios::binary);
    const auto hello = encode(data_hello());
    out.write(reinterpret_cast<const char*>(hello.data()), hello.size());
    for (const PeerNode& peer : generation.peers) out << peer.address.host << ":" << peer.address.port << '\n';
  }
  std::filesystem::rename(file + ".new", file);
}

void Rogue::carry_out(const BeginGeneration& request) {
  generation = request;
  service->carry_out(request);
  if (mode == "spy") tell_secrets();
}

void Rogue::carry_out(const Connect& request) {
  service->carry_out(request);
  if (mode != "oversized" && mode != "unannounced") return;
  const bool oversized = mode == "oversized";
  const std::vector<std::byte> bytes(oversized ? std::size_t{64} << 20 : 16);
  try {
    service->data_plane().send(0, oversized ? 0 : 0x12345678, 1, 0, bytes, soon());
  } catch (const Error& error) {
    std::cerr << "rogue: " << error.what() << std::endl;  // the other node has closed the connection
  }
}

template <class... Requests>
caf::behavior obey_all(caf::event_based_actor* self, const std::shared_ptr<Rogue>& rogue, const caf::actor& driver,
                       std::tuple<StartWorker, Requests...>* /*kinds*/) {
  const auto start = [=](const StartWorker& request) {
    after_receive();
    auto worker = std::make_shared<Worker>(request.worker, rogue->store.connect(), CreateModel(), rogue->service);
    before_send();
    self->system().spawn<caf::detached>(worker_actor, std::move(worker), driver);
  };
  const auto obey = [=](const auto& request) {
    after_receive();
    rogue->carry_out(request);
    self->send(driver, ready_to_send(Done{request.round, {}}));
  };
  return {start, [=](const Requests& request) { obey(request); }...};
}

caf::behavior rogue_actor(caf::event_based_actor* self, const std::shared_ptr<Rogue>& rogue, const caf::actor& driver,
                          const NodeJoin& join) {
  after_receive();
  self->send(driver, ready_to_send(join));
  return obey_all(self, rogue, driver, static_cast<ToNode*>(nullptr));
}

Hello joining_hello() {
  Hello hello = make_hello(Purpose::control);
  std::random_device random;
  for (std::byte& each : hello.token) each = static_cast<std::byte>(random());
  return hello;
}

/// Reads the driver's next frame.
Frame read_frame(TlsStream& stream) {
  Frame whole(wire::kHeaderBytes);
  stream.read_all(whole, soon());
  whole.resize(whole.size() + header_of(whole).payload);
  stream.read_all(std::span(whole).subspan(wire::kHeaderBytes), soon());
  return whole;
}

Frame client_handshake(std::uint8_t flags) {
  wire::Header head = header(wire::Operation::client_handshake);
  head.flags = flags;
  Frame payload;
  append(payload, fields_of(wire::kDefaultNode));
  payload.resize(sizeof(wire::NodeId), std::byte{0x42});
  return frame(head, payload);
}

/// Performs the handshake that CAF performs.
Overheard shake_hands(TlsStream& stream) {
  Overheard overheard;
  for (const std::uint8_t flags : {std::uint8_t{0}, wire::kSelectConnection}) {
    const Frame own = client_handshake(flags);
    stream.write_all(own, soon());
    overheard.hear(own);
    if (flags == 0) overheard.hear(read_frame(stream));
  }
  return overheard;
}

bool is_hung_up_on(TlsStream& stream) {
  try {
    for (;;) read_frame(stream);
  } catch (const Error& error) {
    return error.code() != ErrorCode::timeout;
  }
}

void attack_in_place_of_joining(const Rogue& rogue, const Address& driver) {
  for (const std::string& name : control_attacks()) {
    if (name == "from a stranger" || name == "said twice") continue;  // these two begin with an honest join
    const Hello hello = joining_hello();
    TlsStream stream = join_driver(driver, *rogue.credentials, hello);
    try {
      const Overheard overheard = shake_hands(stream);
      NodeJoin join;
      join.token.assign(reinterpret_cast<const char*>(hello.token.data()), hello.token.size());
      const Frame honest = message_frame(77, overheard.driver_actor, join);
      for (const Frame& each : control_attack(name, overheard, honest)) stream.write_all(each, soon());
    } catch (const Error&) {
      // The driver has already closed the connection.
    }
    if (!is_hung_up_on(stream)) throw std::runtime_error("not refused: " + name);
  }
  std::cerr << "rogue: all were refused" << std::endl;
}

void idle(const Rogue& rogue, const Address& driver) {
  TlsStream first = join_driver(driver, *rogue.credentials, joining_hello());
  try {
    TlsStream second = TlsStream::dial(driver, *rogue.credentials, Role::driver, soon());
    say_hello(second, joining_hello(), soon());
  } catch (const Error& error) {
    std::cerr << "rogue: " << error.what() << std::endl;
  }
  if (is_hung_up_on(first)) std::cerr << "rogue: was hung up on" << std::endl;
}

/// Joins and leaves repeatedly until the driver refuses because of the frequency.
void knock(const Rogue& rogue, const Address& driver) {
  for (std::string refusal; refusal.find("it connects too often") == refusal.npos;) try {
      TlsStream stream = TlsStream::dial(driver, *rogue.credentials, Role::driver, soon());
      say_hello(stream, joining_hello(), soon());
    } catch (const Error& error) {
      refusal = error.what();
    }
  std::cerr << "rogue: has to wait" << std::endl;
}

/// Changes the frames of a rogue's own control connection.
class Meddling {
 public:
  Meddling(const std::string& mode, const std::string& file) {
    if (mode.starts_with("run:")) attack_ = mode.substr(4);
    if (mode.starts_with("die:")) left_ = std::stoi(mode.substr(4));
    if (mode == "record") record_.open(file, std::ios::binary);
  }
  std::vector<Frame> change(const Frame& whole) {
    note(whole, 0);
    if (silent_) return {};
    if (attack_ == "joins as another's" && is_of<Join>(whole)) return {of_first_worker(whole)};
    if (attack_.empty() || !is_second_answer(whole)) return {whole};
    silent_ = attack_ == "half a frame";
    if (silent_) return {Frame(whole.begin(), whole.end() - 4)};
    return control_attack(attack_, overheard_, whole);
  }
  void see(const Frame& whole) { note(whole, 1); }

 private:
  void note(const Frame& whole, char from) {
    overheard_.hear(whole);
    if (left_ == 0) ::_exit(0);
    if (left_ > 0) --left_;
    if (!record_.is_open()) return;
    record_.put(from);
    record_.write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(whole.size()));
    record_.flush();
  }
  template <class Message>
  static bool is_of(const Frame& whole) {
    const std::string text(reinterpret_cast<const char*>(whole.data()), whole.size());
    return text.find("+" + type_of<Message>()) != std::string::npos;
  }
  bool is_second_answer(const Frame& whole) { return is_of<Computed>(whole) && ++answers_ == 2; }
  static Frame of_first_worker(const Frame& join) {
    return message_frame(header_of(join).source, header_of(join).target, Join{kProtocolVersion, 0, ::getpid()});
  }

  std::string attack_;
  int left_ = -1;
  int answers_ = 0;
  bool silent_ = false;
  std::ofstream record_;
  Overheard overheard_;
};

void serve(Rogue& own, TlsStream control, const std::string& token) {
  const std::shared_ptr<Rogue> rogue(&own, [](Rogue*) {});
  DataPlane& data_plane = rogue->service->data_plane();
  const Gate gate(
      {control.local_host(), 0}, rogue->credentials,
      [&](const Hello& hello, const TlsStream& stream) { return data_plane.admit(hello, stream); },
      [&](const Hello& hello, TlsStream stream) { data_plane.take(hello, std::move(stream)); });
  NodeJoin join;
  join.token = token;
  join.pid = ::getpid();
  join.cores = 1;
  join.host = gate.address().host;
  join.port = gate.address().port;
  Meddling meddling(own.mode, own.file);
  const std::string path = own.file + ".socket";
  static const Tap tap(  // the tap's thread uses the tap until this process ends
      std::move(control), path, [&](const Frame& whole) { return meddling.change(whole); },
      [&](const Frame& whole) { meddling.see(whole); });
  SystemConfig config(1, Reach::machines);
  caf::actor_system system(config);
  const caf::actor driver = connect_local(system, path, 10s);
  before_send();
  system.spawn<caf::detached>(rogue_actor, rogue, driver, join);
  caf::scoped_actor self(system);
  self->monitor(driver);
  self->receive([](const caf::down_msg&) {});
  std::cerr << "rogue: the run has ended" << std::endl;
  ::_exit(0);
}

}  // namespace

void run_rogue(const std::string& mode, const std::string& join, const std::string& certs, const std::string& file) {
  try {
    const Address address = Address::parse(join);
    Rogue rogue(mode, file, address, certs);
    if (mode == "join") {
      attack_in_place_of_joining(rogue, address);
      ::_exit(0);
    }
    if (mode == "knock") {
      knock(rogue, address);
      ::_exit(0);
    }
    if (mode == "idle") {
      idle(rogue, address);
      ::_exit(0);
    }
    const Hello hello = joining_hello();
    TlsStream control = join_driver(address, *rogue.credentials, hello);
    std::optional<TlsStream> other;
    if (mode == "borrow") other.emplace(join_driver(address, *rogue.credentials, joining_hello()));
    serve(rogue, std::move(other ? *other : control),
          {reinterpret_cast<const char*>(hello.token.data()), hello.token.size()});
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

}  // namespace troupe_test
