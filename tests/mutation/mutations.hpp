#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages/messages.hpp"

namespace troupe_test {

/// A message with one changed field.
struct Mutant {
  std::string path;  ///< of the field, such as "samples[0]"
  std::string what;  ///< the change, such as "minus one"
  caf::message message;
};

/// Returns the kind of a message, such as "Applied".
std::string kind_of_message(const caf::message& message);

/// Returns all mutants of a message. @param others messages of the same kind from another run; the values of their
/// fields are used, too
std::vector<Mutant> mutants_of(const caf::message& message, const std::vector<caf::message>& others);

/// Returns whether a message has the valid shape of its kind, so that it may pass the control connection of a run.
bool is_admitted(const caf::message& message, const troupe::RunLimits& limits);

/// Returns the fields of a message as CAF writes them.
std::vector<char> bytes_of_fields(const caf::message& message);

/// Returns the message of this type, such as "troupe::Applied", with these fields. @throws std::logic_error
caf::message read_message(std::string_view type, std::span<const std::byte> fields);

/// Returns a description of the message for error output.
std::string text_of_message(const caf::message& message);

}  // namespace troupe_test
