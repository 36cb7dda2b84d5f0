#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "actors/messages/bounds.hpp"

namespace troupe {

/// The kind of a message: its index among all messages of drivers, nodes and workers (`actors/messages/messages.hpp`).
enum class MessageKind : std::uint8_t {};

enum class Recipient : std::uint8_t { driver, node, worker };

/// Returns the kind of a message from CAF's name of its type; nothing if it is not a message of Troupe.
std::optional<MessageKind> kind_of(std::string_view type);

Recipient recipient_of(MessageKind kind);
/// Returns the kind of the answer to a request.
MessageKind answer_to(MessageKind request);
bool is_join_of_node(MessageKind kind);
bool is_join_of_worker(MessageKind kind);

/// Returns true if `fields` are exactly one message of the kind, with lists of lengths that are possible in the run.
bool well_formed(MessageKind kind, std::span<const std::byte> fields, const RunLimits& limits);

/// Returns the maximum size of a message's fields, in bytes.
std::size_t largest_fields(MessageKind kind, const RunLimits& limits);
/// Returns the maximum over all messages to a recipient, except messages that it receives only before a node has
/// joined.
std::size_t largest_message_to(Recipient recipient, const RunLimits& limits);

}  // namespace troupe
