#include "actors/control_attacks.hpp"

#include <algorithm>
#include <functional>
#include <map>

using namespace troupe;
using wire::Header;
using wire::NodeId;
using wire::Operation;

namespace troupe_test {
namespace {

using Frames = std::vector<Frame>;
using Attack = std::function<Frames(const Overheard&, const Frame&)>;

constexpr std::uint64_t kStranger = 4242;
constexpr std::uint64_t kConfigServer = 0xf374'cebb'ac76'adfb;
constexpr int kNested = 60'000;
constexpr int kFlood = 20'000;

NodeId other_id(NodeId id) {
  id.back() ^= std::byte{0xff};
  return id;
}

Frame handshake(const NodeId& id, std::uint8_t flags) {
  Header head = header(Operation::client_handshake);
  head.flags = flags;
  Frame payload;
  append(payload, id);
  return frame(head, payload);
}

/// Replaces the header of the honest frame.
Attack changed(const std::function<void(Header&)>& change) {
  return [change](const Overheard&, const Frame& honest) {
    Header head = header_of(honest);
    change(head);
    return Frames{frame(head, payload_of(honest))};
  };
}

Attack with_payload(const std::function<Frame(Frame)>& change) {
  return [change](const Overheard&, const Frame& honest) {
    return Frames{frame(header_of(honest), change(payload_of(honest)))};
  };
}

Attack one(const std::function<Frame(const Overheard&)>& make) {
  return [make](const Overheard& overheard, const Frame&) { return Frames{make(overheard)}; };
}

Attack message_of_type(const std::string& types, const std::string& fields) {
  return with_payload([=](const Frame&) {
    Frame payload = envelope(types);
    append(payload, fields);
    return payload;
  });
}

/// Sends another message type of Troupe in place of the honest message.
template <class Message>
Attack other(const Message& message) {
  const std::vector<char> fields = fields_of(message);
  return message_of_type("@<>+" + type_of<Message>(), {fields.begin(), fields.end()});
}

std::string nested_messages() {
  std::string nested;
  for (int i = 0; i < kNested; ++i) nested += std::string("\0\0\x0c", 3) + "@<>+@message";
  return nested;
}

Frame routed(const NodeId& from, const NodeId& to, const Frame& honest) {
  Header head = header_of(honest);
  head.operation = static_cast<std::uint8_t>(Operation::routed_message);
  Frame payload;
  append(payload, from);
  append(payload, to);
  append(payload, payload_of(honest));
  return frame(head, payload);
}

/// Returns a frame that announces more bytes than follow.
Frame announcing(std::uint32_t bytes, const Frame& honest) {
  Header head = header_of(honest);
  head.payload = bytes;
  const auto encoded = wire::encode(head);
  return {encoded.begin(), encoded.end()};
}

Header with_flags(Header head, std::uint8_t flags) {
  head.flags = flags;
  return head;
}

std::map<std::string, Attack> handshake_attacks() {
  return {
      {"client handshake without an id",
       one([](const Overheard&) { return frame(header(Operation::client_handshake)); })},
      {"server handshake without a payload", one([](const Overheard&) {
         Header head = header(Operation::server_handshake);
         head.data = 4;
         return frame(head);
       })},
      {"server handshake of a node", one([](const Overheard& known) {
         Header head = header(Operation::server_handshake);
         head.data = wire::kVersion;
         Frame payload;
         append(payload, known.node);
         append(payload, std::string("\1\6troupe", 8) + std::string(7, '\0') + "\5" + std::string(1, '\0'));
         return frame(head, payload);
       })},
      {"third client handshake",
       one([](const Overheard& known) { return handshake(known.node, wire::kSelectConnection); })},
      {"claims another's id",
       one([](const Overheard& known) { return handshake(other_id(known.node), wire::kSelectConnection); })},
      {"claims the driver's id",
       one([](const Overheard& known) { return handshake(known.driver, wire::kSelectConnection); })},
      {"heartbeat that says something", one([](const Overheard&) {
         Header head = header(Operation::heartbeat);
         head.data = 1;
         return frame(head);
       })},
      {"flood of heartbeats",
       [](const Overheard&, const Frame&) { return Frames(kFlood, frame(header(Operation::heartbeat))); }},
      {"unknown operation", one([](const Overheard&) { return frame(header(static_cast<Operation>(7))); })},
  };
}

std::map<std::string, Attack> notice_attacks() {
  return {
      {"watches a stranger", one([](const Overheard& known) {
         return notice(header(Operation::monitor_message, 0, kStranger), known.node, known.driver);
       })},
      {"watches for another node", one([](const Overheard& known) {
         return notice(header(Operation::monitor_message, 0, known.driver_actor), other_id(known.node), known.driver);
       })},
      {"watches at another node", one([](const Overheard& known) {
         return notice(header(Operation::monitor_message, 0, known.driver_actor), known.node, other_id(known.node));
       })},
      {"end of a stranger",
       one([](const Overheard& known) { return end_notice(kStranger, known.node, known.driver); })},
      {"end of the driver",
       one([](const Overheard& known) { return end_notice(known.driver_actor, known.node, known.driver); })},
      {"end with a context", one([](const Overheard& known) {
         return end_notice(known.node_actor, known.node, known.driver, std::string("\0\0\x08@<>+@i32\0\0\0\1", 15));
       })},
      {"config server by name", changed([](Header& head) {
         head.flags = wire::kNamedReceiver;
         head.target = kConfigServer;
       })},
      {"flood of questions to the spawn server",
       [](const Overheard&, const Frame& honest) {
         Header head = with_flags(header_of(honest), wire::kNamedReceiver);
         head.target = wire::kSpawnServer;
         return Frames(kFlood, frame(head, envelope("@<>")));
       }},
  };
}

std::map<std::string, Attack> message_attacks() {
  return {
      {"nested messages", message_of_type("@<>+@message", nested_messages())},
      {"huge text", message_of_type("@<>+@charbuf", "\x80\x80\x80\x80\x02")},
      {"a type of CAF's", message_of_type("@<>+@i32", std::string(4, '\0'))},
      {"an empty message", message_of_type("@<>", "")},
      {"an unknown type", message_of_type("@<>+troupe::Nothing", "")},
      {"two messages in one", message_of_type("@<>+troupe::Join+troupe::Join", std::string(24, '\1'))},
      {"a message of the driver's", other(StartWorker{})},
      {"an actor's handle", message_of_type("@<>+@strong_actor_ptr", std::string(40, '\1'))},
      {"routed to another node",
       [](const Overheard& known, const Frame& honest) {
         return Frames{routed(known.node, other_id(known.node), honest)};
       }},
      {"routed to the driver",
       [](const Overheard& known, const Frame& honest) { return Frames{routed(known.node, known.driver, honest)}; }},
      {"to be forwarded", with_payload([](Frame payload) {
         payload[0] = std::byte{1};
         payload.insert(payload.begin() + 1, 40, std::byte{1});
         return payload;
       })},
      {"wants an answer", changed([](Header& head) { head.data |= 1; })},
      {"is an answer", changed([](Header& head) { head.data |= std::uint64_t{1} << 63; })},
      {"is urgent", changed([](Header& head) { head.data = 0; })},
      {"to a stranger", changed([](Header& head) { head.target = kStranger; })},
      {"from a stranger", changed([](Header& head) { head.source = kStranger; })},
      {"from nobody", changed([](Header& head) { head.source = 0; })},
      {"padded", changed([](Header& head) { head.padding = 1; })},
      {"one byte too many", with_payload([](Frame payload) {
         payload.push_back(std::byte{0});
         return payload;
       })},
      {"one byte too few", with_payload([](Frame payload) {
         payload.pop_back();
         return payload;
       })},
      {"no byte", with_payload([](const Frame&) { return Frame(); })},
      {"said twice",
       [](const Overheard&, const Frame& honest) {
         return Frames{honest, honest};
       }},
      {"an answer that nobody asked for", other(Applied{})},
      {"an answer to another question", other(Evaluated{})},
      {"an unsolicited worker", other(Join{})},
      {"four gigabytes announced",
       [](const Overheard&, const Frame& honest) { return Frames{announcing(0xffff'ffff, honest)}; }},
      {"more announced than a run has",
       [](const Overheard&, const Frame& honest) { return Frames{announcing(8 << 20, honest)}; }},
  };
}

const std::map<std::string, Attack>& attacks() {
  static const std::map<std::string, Attack> all = [] {
    std::map<std::string, Attack> made = handshake_attacks();
    made.merge(notice_attacks());
    made.merge(message_attacks());
    return made;
  }();
  return all;
}

}  // namespace

void Overheard::hear(const Frame& whole) {
  const Header head = header_of(whole);
  const Frame payload = payload_of(whole);
  wire::Reader reader(payload);
  if (head.is(Operation::client_handshake)) node = reader.node();
  if (head.is(Operation::server_handshake)) {
    driver = reader.node();
    for (std::size_t names = reader.count(9); names > 0; --names) reader.text(99);
    driver_actor = reader.number64();
  }
  if (head.is(Operation::direct_message) && head.target == driver_actor && node_actor == 0) node_actor = head.source;
}

std::vector<std::string> control_attacks() {
  std::vector<std::string> names;
  for (const auto& [name, attack] : attacks()) names.push_back(name);
  return names;
}

std::vector<Frame> control_attack(const std::string& name, const Overheard& overheard, const Frame& honest) {
  return attacks().at(name)(overheard, honest);
}

}  // namespace troupe_test
