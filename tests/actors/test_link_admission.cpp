#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "actors/control_attacks.hpp"
#include "actors/transport/admission/frame_filter.hpp"
#include "actors/transport/admission/link_admission.hpp"
#include "fuzz/actors/message_kinds.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;
using wire::Header;
using wire::NodeId;
using wire::Operation;

namespace {

constexpr std::uint64_t kDriver = 5;
constexpr std::uint64_t kNode = 7;
constexpr std::uint64_t kWorker = 9;
constexpr RunLimits kLimits{.shards = 4, .replicas = 4, .members = 3};

NodeId id_of(unsigned char process) {
  NodeId id{};
  const Frame kind = {std::byte{0x00}, std::byte{0x00}, std::byte{0x3e}, std::byte{0x9a},
                      std::byte{0xab}, std::byte{0x9b}, std::byte{0xac}, std::byte{0x79}};
  std::copy(kind.begin(), kind.end(), id.begin());
  id[11] = static_cast<std::byte>(process);
  std::fill(id.begin() + 12, id.end(), std::byte{0x77});
  return id;
}

/// One end of a connection: its admission, which also replaces ids in frames.
struct End {
  End(LinkEnd which, NodeId own, NodeId stand_in) : admission(which, own, stand_in, kLimits) {}

  /// Returns the frame as it is sent on the wire.
  Frame say(Frame whole) {
    admission.to_peer(header_of(whole), std::span(whole).subspan(wire::kHeaderBytes));
    return whole;
  }
  /// Returns the frame that CAF receives, or nothing if the frame does not reach CAF.
  std::optional<Frame> hear(Frame whole, Clock::time_point now = Clock::now()) {
    admission.announced(header_of(whole));
    const bool passes = admission.from_peer(header_of(whole), std::span(whole).subspan(wire::kHeaderBytes), now);
    return passes ? std::optional(whole) : std::nullopt;
  }

  LinkAdmission admission;
};

/// The state of a run with an honest driver and an honest node. Each frame passes both admissions.
class Session {
 public:
  explicit Session(NodeId driver_id = id_of(1), NodeId node_id = id_of(2))
      : overheard{node_id, driver_id, kDriver, kNode},
        driver(LinkEnd::driver, driver_id, kNodeStandIn),
        node(LinkEnd::node, node_id, kDriverStandIn) {}

  static inline const NodeId kNodeStandIn = id_of(101);
  static inline const NodeId kDriverStandIn = id_of(102);

  std::optional<Frame> from_node(const Frame& whole) { return driver.hear(node.say(whole)); }
  std::optional<Frame> from_driver(const Frame& whole) { return node.hear(driver.say(whole)); }
  template <class Message>
  void request(std::uint64_t to, const Message& message) {
    CHECK(from_driver(message_frame(kDriver, to, message)));
  }
  template <class Message>
  static Frame reply(std::uint64_t from, const Message& message) {
    return message_frame(from, kDriver, message);
  }

  void shake_hands() {
    Frame payload;
    append(payload, overheard.node);
    Header head = header(Operation::client_handshake);
    const auto first = from_node(frame(head, payload));
    REQUIRE(first);
    CHECK(wire::Reader(payload_of(*first)).node() == kNodeStandIn);
    Frame of_driver;
    append(of_driver, overheard.driver);
    append(of_driver, std::string("\1\6troupe", 8) + std::string(7, '\0') + "\5" + std::string(1, '\0'));
    Header server = header(Operation::server_handshake);
    server.data = wire::kVersion;
    const auto heard = from_driver(frame(server, of_driver));
    REQUIRE(heard);
    CHECK(wire::Reader(payload_of(*heard)).node() == kDriverStandIn);
    head.flags = wire::kSelectConnection;
    CHECK(from_node(frame(head, payload)));
    CHECK_FALSE(from_driver(question()));
    CHECK_FALSE(from_node(question()));
    CHECK(from_node(notice(header(Operation::monitor_message, 0, kDriver), overheard.node, kDriverStandIn)));
  }
  static Frame question() {
    Header head = header(Operation::direct_message, 3, wire::kSpawnServer);
    head.flags = wire::kNamedReceiver;
    head.data = wire::kAsynchronous;
    return frame(head, envelope("@<>+@atom+@atom+@str"));
  }
  static Frame node_join() {
    NodeJoin join;
    join.token = std::string(16, 't');
    join.host = "10.0.0.2";
    return reply(kNode, join);
  }
  void join() {
    CHECK(from_node(node_join()));
    const auto watched =
        from_driver(notice(header(Operation::monitor_message, 0, kNode), overheard.driver, kNodeStandIn));
    REQUIRE(watched);
    CHECK(wire::Reader(payload_of(*watched)).node() == kDriverStandIn);
    request(kNode, StartWorker{1});
    CHECK(from_node(reply(kWorker, Join{})));
  }
  /// Sends a request to compute.
  void ask() { request(kWorker, Compute{.round = 3}); }
  static Frame computed(std::size_t shards = kLimits.shards) {
    Computed reply;
    reply.shards.resize(shards);
    return Session::reply(kWorker, reply);
  }

  Overheard overheard;
  End driver;
  End node;
};

/// Returns whether a frame of an attack is refused as a protocol error.
bool is_refused(Session& session, const std::vector<Frame>& frames) {
  const auto code = code_of([&] {
    for (const Frame& each : frames) session.driver.hear(each);
  });
  if (code) CHECK(*code == ErrorCode::protocol);
  return code.has_value();
}

}  // namespace

TEST_CASE("all frames of an honest run pass, and no end receives the other's real id") {
  Session session;
  session.shake_hands();
  session.join();
  for (int step = 0; step < 1000; ++step) {
    session.ask();
    CHECK(session.from_node(session.computed()));
  }
  session.request(kNode, std::get<BeginGeneration>(fuzz::filled_to_node()));
  session.request(kNode, Connect{});
  for (int i = 0; i < 2; ++i) CHECK(session.from_node(session.reply(kNode, Done{})));
  CHECK(session.from_node(frame(header(Operation::heartbeat))));
  CHECK(session.from_driver(frame(header(Operation::heartbeat))));
  const auto end = session.from_node(end_notice(kNode, session.overheard.node, Session::kDriverStandIn));
  REQUIRE(end);
  CHECK(wire::Reader(payload_of(*end)).node() == Session::kNodeStandIn);
  CHECK(session.from_driver(end_notice(kDriver, session.overheard.driver, Session::kNodeStandIn)));
}

TEST_CASE("two processes with the same id, as in two containers, can communicate") {
  Session session(id_of(1), id_of(1));
  session.shake_hands();
  session.join();
  session.ask();
  CHECK(session.from_node(session.computed()));
}

TEST_CASE("frames that no honest node sends are refused before the handshake, before the join, and during a run") {
  for (const std::string& name : control_attacks()) {
    CAPTURE(name);
    Session joining;
    joining.shake_hands();
    // Any actor may join.
    CHECK(is_refused(joining, control_attack(name, joining.overheard, joining.node_join())) ==
          (name != "from a stranger"));
    Session running;
    running.shake_hands();
    running.join();
    running.ask();
    CHECK(is_refused(running, control_attack(name, running.overheard, running.computed())));
    Session fresh;
    CHECK(is_refused(fresh, control_attack(name, fresh.overheard, fresh.node_join())));
  }
}

TEST_CASE("before both handshakes have arrived, only the next handshake passes") {
  Session session;
  Frame payload;
  append(payload, session.overheard.node);
  CHECK(is_refused(session, {session.node_join()}));
  Header second = header(Operation::client_handshake);
  second.flags = wire::kSelectConnection;
  Session other;
  CHECK(is_refused(other, {frame(second, payload)}));
  Session empty;
  CHECK(is_refused(empty, {frame(header(Operation::client_handshake), Frame(sizeof(NodeId)))}));
  Session twice;
  CHECK(is_refused(twice, {frame(header(Operation::client_handshake), payload),
                           frame(header(Operation::client_handshake), payload)}));
}

TEST_CASE("each started worker may join once, with an unused actor id") {
  Session session;
  session.shake_hands();
  session.join();
  CHECK(is_refused(session, {session.reply(kWorker + 1, Join{})}));
  Session again;
  again.shake_hands();
  again.join();
  again.request(kNode, StartWorker{1});
  CHECK(is_refused(again, {again.reply(kWorker, Join{})}));
  Session more;
  more.shake_hands();
  more.join();
  more.request(kNode, StartWorker{1});
  CHECK(more.from_node(more.reply(kWorker + 1, Join{})));
}

TEST_CASE("a reply passes only from the member that was asked, and only with the requested type") {
  const auto in_answer = [](const Frame& answer) {
    Session session;
    session.shake_hands();
    session.join();
    session.ask();
    return is_refused(session, {answer});
  };
  CHECK_FALSE(in_answer(Session::computed()));
  CHECK(in_answer(Session::reply(kNode, Computed{})));
  CHECK(in_answer(Session::reply(kWorker, Evaluated{})));
  CHECK(in_answer(Session::reply(kWorker, Applied{})));
  CHECK(in_answer(Session::reply(kWorker, Built{})));
  CHECK(in_answer(Session::reply(kWorker, Done{})));
  CHECK(in_answer(Session::reply(kNode, Done{})));
  CHECK(in_answer(Session::computed(kLimits.shards + 1)));
}

namespace {

/// Sends a request, checks that its reply passes, and that a second reply does not.
template <class Request>
void check_answer(Session& session, std::uint64_t asked, const Request& request) {
  CAPTURE(type_of<Request>());
  const Frame answer = Session::reply(asked, typename Request::Reply{});
  CHECK(is_refused(session, {answer}));
  session.request(asked, request);
  CHECK(session.from_node(answer));
  CHECK(is_refused(session, {answer}));
}

}  // namespace

TEST_CASE("each request can be answered once") {
  Session session;
  session.shake_hands();
  session.join();
  std::apply([&](const StartWorker&, const auto&... each) { (check_answer(session, kNode, each), ...); },
             fuzz::filled_to_node());
  std::apply([&](const auto&... each) { (check_answer(session, kWorker, each), ...); }, fuzz::filled_to_worker());
}

TEST_CASE("messages in the wrong direction, or to the wrong kind of actor, are refused") {
  Session session;
  session.shake_hands();
  session.join();
  const std::string other_way = "a message in the wrong direction";
  const auto of_node = [&](const auto& message, std::uint64_t as, const std::string& why) {
    CAPTURE(type_of<std::decay_t<decltype(message)>>());
    CHECK(message_of([&] { session.driver.hear(message_frame(as, kDriver, message)); }) == why);
    CHECK(message_of([&] { session.node.say(message_frame(as, kDriver, message)); }) == why);
  };
  const auto of_driver = [&](const auto& message, std::uint64_t to, const std::string& why) {
    CAPTURE(type_of<std::decay_t<decltype(message)>>());
    CHECK(message_of([&] { session.node.hear(message_frame(kDriver, to, message)); }) == why);
    CHECK(message_of([&] { session.driver.say(message_frame(kDriver, to, message)); }) == why);
  };
  std::apply([&](const auto&... each) { (of_driver(each, kNode, other_way), ...); }, fuzz::filled_to_driver());
  std::apply([&](const auto&... each) { (of_node(each, kNode, other_way), ...); }, fuzz::filled_to_node());
  std::apply([&](const auto&... each) { (of_node(each, kWorker, other_way), ...); }, fuzz::filled_to_worker());
  const std::string other_kind = "a request is for the wrong kind of actor";
  std::apply([&](const auto&... each) { (of_driver(each, kWorker, other_kind), ...); }, fuzz::filled_to_node());
  std::apply([&](const auto&... each) { (of_driver(each, kNode, other_kind), ...); }, fuzz::filled_to_worker());
}

TEST_CASE("a node may have as many workers as a run, all of them monitored") {
  Session session;
  session.shake_hands();
  session.join();
  for (std::uint64_t worker = 100; worker < 600; ++worker) {
    session.request(kNode, StartWorker{1});
    CHECK(session.from_node(session.reply(worker, Join{})));
    CHECK(session.from_driver(
        notice(header(Operation::monitor_message, 0, worker), session.overheard.driver, Session::kNodeStandIn)));
  }
  const auto watch =
      notice(header(Operation::monitor_message, 0, kDriver), session.overheard.node, session.overheard.driver);
  CHECK(is_refused(session, std::vector<Frame>(2000, watch)));
}

TEST_CASE("one heartbeat per second is always accepted, also in a burst after a pause") {
  Session session;
  session.shake_hands();
  const auto now = Clock::now();
  for (int second = 0; second < 1000; ++second)
    CHECK(session.driver.hear(frame(header(Operation::heartbeat)), now + 1000s));
}

TEST_CASE("invalid frames of the driver are refused, too") {
  Session session;
  session.shake_hands();
  session.join();
  const auto refused = [&](const Frame& whole) {
    return code_of([&] { session.node.hear(whole); }) == ErrorCode::protocol;
  };
  CHECK(refused(message_frame(kDriver, kWorker, StartWorker{})));
  CHECK(refused(message_frame(kDriver, kNode, Compute{})));
  CHECK(refused(message_frame(kDriver + 1, kNode, StartWorker{})));
  CHECK(refused(message_frame(kDriver, kDriver, Computed{})));
  CHECK(refused(end_notice(kNode, session.overheard.driver, session.overheard.node)));
  Session fresh;
  CHECK(code_of([&] { fresh.node.hear(frame(header(Operation::heartbeat))); }) == ErrorCode::protocol);
}

TEST_CASE("the longest description of a model passes after the worker has joined") {
  Session session;
  session.shake_hands();
  Built built;
  built.replicas.resize(kLimits.replicas);
  for (ReplicaTraits& each : built.replicas) each.fingerprint.resize(kLongestSetting);
  const std::size_t over = fields_of(built).size() - kLongestDescription;
  built.replicas.back().fingerprint.resize(kLongestSetting - over);
  const Frame longest = Session::reply(kWorker, built);
  REQUIRE(fields_of(built).size() == kLongestDescription);
  CHECK(is_refused(session, {longest}));
  session.join();
  session.request(kWorker, Build{});
  CHECK(session.from_node(longest));
  Header larger = header_of(longest);
  larger.payload += 64;  // exceeds the longest type
  CHECK(code_of([&] { session.driver.admission.announced(larger); }) == ErrorCode::protocol);
}

TEST_CASE("frames are found for any division of the stream, and a refused frame leaves no data behind") {
  std::vector<Frame> frames = {frame(header(Operation::heartbeat)), Session().computed(), Session().node_join(),
                               frame(header(Operation::heartbeat))};
  Frame stream;
  for (const Frame& each : frames) append(stream, each);
  for (std::size_t cut = 1; cut < stream.size(); cut += 7) {
    std::vector<Frame> seen;
    FrameFilter filter([](const Header&) {},
                       [&](const Header& head, std::span<std::byte> payload) {
                         seen.push_back(frame(head, {payload.begin(), payload.end()}));
                         return !head.is(Operation::heartbeat);
                       });
    std::vector<std::byte> passed;
    for (std::size_t at = 0; at < stream.size(); at += cut)
      filter.take(std::span(stream).subspan(at, std::min(cut, stream.size() - at)), passed);
    CHECK(seen == frames);
    Frame expected = frames[1];
    append(expected, frames[2]);
    CHECK(passed == expected);
  }
  FrameFilter strict([](const Header&) { throw Error(ErrorCode::protocol, "no"); },
                     [](const Header&, std::span<std::byte>) { return true; });
  std::vector<std::byte> passed;
  CHECK(code_of([&] { strict.take(stream, passed); }) == ErrorCode::protocol);
  CHECK(passed.empty());
}
