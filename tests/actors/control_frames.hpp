#pragma once

#include <algorithm>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "actors/messages/messages.hpp"
#include "actors/transport/admission/wire.hpp"

// Hand-made frames of CAF's protocol.
namespace troupe_test {

using Frame = std::vector<std::byte>;

/// Returns a frame. Sets the length of the payload in its header.
inline Frame frame(troupe::wire::Header header, const Frame& payload = {}) {
  header.payload = static_cast<std::uint32_t>(payload.size());
  const auto head = troupe::wire::encode(header);
  Frame whole(head.size() + payload.size());
  std::copy(head.begin(), head.end(), whole.begin());
  std::copy(payload.begin(), payload.end(), whole.begin() + troupe::wire::kHeaderBytes);
  return whole;
}

inline troupe::wire::Header header_of(const Frame& whole) {
  return troupe::wire::decode(std::span<const std::byte, troupe::wire::kHeaderBytes>(whole.data(), 32));
}
inline Frame payload_of(const Frame& whole) { return {whole.begin() + troupe::wire::kHeaderBytes, whole.end()}; }

inline troupe::wire::Header header(troupe::wire::Operation operation, std::uint64_t source = 0,
                                   std::uint64_t target = 0) {
  troupe::wire::Header made;
  made.operation = static_cast<std::uint8_t>(operation);
  made.source = source;
  made.target = target;
  return made;
}

inline void append(Frame& to, const auto& bytes) {
  for (const auto each : bytes) to.push_back(static_cast<std::byte>(each));
}

/// Returns the start of a message without forwarding stack, up to its fields.
inline Frame envelope(const std::string& types) {
  Frame payload(3);
  for (std::size_t left = types.size(); left > 0; left >>= 7)
    payload.push_back(static_cast<std::byte>((left & 0x7f) | (left > 0x7f ? 0x80 : 0)));
  append(payload, types);
  return payload;
}

template <class Message>
std::vector<char> fields_of(const Message& message) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  if (sink(message)) throw std::runtime_error("a message cannot be written");
  return bytes;
}

/// Returns the message that `fields_of` has serialized.
template <class Message>
Message message_from(std::span<const std::byte> fields) {
  Message message;
  caf::binary_deserializer source(nullptr, reinterpret_cast<const char*>(fields.data()), fields.size());
  if (source(message)) throw std::runtime_error("a message cannot be read");
  return message;
}

/// Returns the type name that CAF writes before the fields.
template <class Message>
std::string type_of() {
  return caf::type_name_by_id<caf::type_id<Message>::value>::value;
}

template <class Message>
Frame message_frame(std::uint64_t from, std::uint64_t to, const Message& message) {
  Frame payload = envelope("@<>+" + type_of<Message>());
  append(payload, fields_of(message));
  auto head = header(troupe::wire::Operation::direct_message, from, to);
  head.data = troupe::wire::kAsynchronous;
  return frame(head, payload);
}

inline Frame notice(troupe::wire::Header head, const troupe::wire::NodeId& from, const troupe::wire::NodeId& to,
                    const std::string& more = "") {
  Frame payload;
  append(payload, from);
  append(payload, to);
  append(payload, more);
  return frame(head, payload);
}

/// Returns the notice that an actor has ended, by default without a reason.
inline Frame end_notice(std::uint64_t actor, const troupe::wire::NodeId& from, const troupe::wire::NodeId& to,
                        const std::string& context = std::string("\0\0\3@<>", 6)) {
  return notice(header(troupe::wire::Operation::down_message, actor), from, to, std::string(9, '\0') + context);
}

}  // namespace troupe_test
