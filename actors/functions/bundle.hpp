#pragma once

#include <string>
#include <string_view>

#include "troupe/task_context.hpp"

// Checkpoints and results of functions, as bytes.
namespace troupe {

/// Returns JSON on one line. Numbers that are not finite become null; invalid UTF-8 is replaced.
std::string to_text(const Json& json);

/// Parses JSON that a function reported, saved or returned.
/// @throws Error protocol if it is invalid or nested deeper than 100 levels, because copying it needs stack in
/// proportion
Json json_from(std::string_view text);

std::string to_bytes(const TaskResult& returned);
std::string to_bytes(const Checkpoint& checkpoint);
/// @throws Error protocol if the bytes are invalid
TaskResult returned_from(std::string_view bytes);
Checkpoint checkpoint_from(std::string_view bytes);

/// Returns whether a checkpoint can contain a file of this name: a name without folders that is not hidden.
bool is_file_name(const std::string& name);

}  // namespace troupe
