#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages/messages.hpp"

namespace troupe_test {

/// A message one field of which has another value.
struct Mutant {
  std::string path;  ///< of the field, such as "samples[0]"
  std::string what;  ///< happened to it, such as "minus one"
  caf::message message;
};

/// Returns the kind of a message, such as "Applied".
std::string kind_of_message(const caf::message& message);

/// Returns all mutants of a message. @param others messages of the same kind from elsewhere: values of their fields are
/// taken, too
std::vector<Mutant> mutants_of(const caf::message& message, const std::vector<caf::message>& others);

/// Returns whether the message may pass the control connection of a run: its shape is that of its kind.
bool is_admitted(const caf::message& message, const troupe::RunLimits& limits);

/// Returns the fields of a message as CAF writes them.
std::vector<char> bytes_of_fields(const caf::message& message);

/// Returns the message of such a type, such as "troupe::Applied", that has these fields. @throws std::logic_error
caf::message read_message(std::string_view type, std::span<const std::byte> fields);

/// Returns what the message says, for people.
std::string text_of_message(const caf::message& message);

}  // namespace troupe_test
