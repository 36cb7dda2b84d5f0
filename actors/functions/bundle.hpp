#pragma once

#include <string>
#include <string_view>

#include "troupe/task_context.hpp"

// Checkpoints and what functions return, as bytes.
namespace troupe {

/// On one line. What is no number becomes null, and what is no UTF-8 is replaced.
std::string to_text(const Json& json);

/// What a function reported, saved or returned. @throws Error protocol for what is none, or is nested deeper than 100
/// levels, since copies of it would take as much of the stack
Json json_from(std::string_view text);

std::string to_bytes(const TaskResult& returned);
std::string to_bytes(const Checkpoint& checkpoint);
/// @throws Error protocol for bytes that are none
TaskResult returned_from(std::string_view bytes);
Checkpoint checkpoint_from(std::string_view bytes);

/// Whether a checkpoint can hold a file of this name: one without folders, that is not hidden.
bool is_file_name(const std::string& name);

}  // namespace troupe
