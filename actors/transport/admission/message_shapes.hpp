#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "actors/messages/bounds.hpp"

namespace troupe {

/// The kind of a message: the index of its type in the list of all types of messages between drivers, nodes and workers
/// (`actors/messages/messages.hpp`).
enum class MessageKind : std::uint8_t {};

enum class Recipient : std::uint8_t { driver, node, worker };

/// Returns the kind of the messages whose type has the name `type` in CAF. Returns std::nullopt if Troupe has no such
/// type of messages.
std::optional<MessageKind> kind_of(std::string_view type);

/// Returns which actor receives messages of this kind.
Recipient recipient_of(MessageKind kind);
/// Returns the kind of the answer to a request of this kind.
MessageKind answer_to(MessageKind request);
bool is_join_of_node(MessageKind kind);
bool is_join_of_worker(MessageKind kind);

/// Returns true if `fields` are the encoded fields of exactly one message of this kind, and no list or text in the
/// message is longer than `limits` allows.
bool well_formed(MessageKind kind, std::span<const std::byte> fields, const RunLimits& limits);

/// Returns the maximum size in bytes of the fields of a message of this kind.
std::size_t largest_fields(MessageKind kind, const RunLimits& limits);
/// Returns the maximum of `largest_fields` over all kinds of messages to this recipient.
std::size_t largest_message_to(Recipient recipient, const RunLimits& limits);

}  // namespace troupe
