#pragma once

#include <string>
#include <string_view>

#include "troupe/task_context.hpp"

// Converts the checkpoints and results of users' functions into bytes and back.
namespace troupe {

/// Returns `json` as text on one line. Numbers that are not finite become null. Bytes that are not valid UTF-8 are
/// replaced by the character U+FFFD.
std::string to_text(const Json& json);

/// Parses JSON that a function reported, saved or returned.
/// @throws Error protocol if the text is not valid JSON, would need more than 1 GiB of memory, or is nested deeper than
/// 100 levels. The number of levels is limited, because copying JSON needs stack in proportion to it
Json json_from(std::string_view text);

/// The next two functions convert a result or a checkpoint into bytes.
/// @throws Error invalid_argument if a tensor's number of floats does not match its shape, a tensor's name is not
/// printable, or a result's JSON is nested deeper than 100 levels
std::string to_bytes(const TaskResult& returned);
std::string to_bytes(const Checkpoint& checkpoint);
/// The next two functions convert the bytes of a result or of a checkpoint back.
/// @throws Error protocol if the bytes are invalid
TaskResult returned_from(std::string_view bytes);
Checkpoint checkpoint_from(std::string_view bytes);

/// Returns true if a checkpoint may contain a file of this name. The name must be printable, have 1 to 200 bytes,
/// contain no "/" and not begin with ".".
bool is_file_name(const std::string& name);

}  // namespace troupe
