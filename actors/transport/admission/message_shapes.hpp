#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "actors/messages/bounds.hpp"

namespace troupe {

/// Which message: its place among all that driver, nodes and workers say (`actors/messages/messages.hpp`).
enum class MessageKind : std::uint8_t {};

enum class Recipient : std::uint8_t { driver, node, worker };

/// The kind that a type has by CAF's name of it; none where it is no message of ours.
std::optional<MessageKind> kind_of(std::string_view type);

Recipient recipient_of(MessageKind kind);
/// What a request is answered with.
MessageKind answer_to(MessageKind request);
bool is_join_of_node(MessageKind kind);
bool is_join_of_worker(MessageKind kind);

/// Whether `fields` are exactly one message of the kind, with lists that a run can have.
bool well_formed(MessageKind kind, std::span<const std::byte> fields, const RunLimits& limits);

/// What the fields of a message take at most, in bytes.
std::size_t largest_fields(MessageKind kind, const RunLimits& limits);
/// Of all that go to a recipient, but for what it hears only before a node has joined.
std::size_t largest_message_to(Recipient recipient, const RunLimits& limits);

}  // namespace troupe
