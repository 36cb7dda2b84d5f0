#pragma once

#include <string>
#include <string_view>

#include "troupe/here.hpp"

// Checkpoints and what functions return, as bytes.
namespace troupe {

/// On one line. What is no number becomes null, and what is no UTF-8 is replaced.
std::string to_text(const Json& json);

std::string to_bytes(const Returned& returned);
std::string to_bytes(const Checkpoint& checkpoint);
/// @throws Error protocol for bytes that are none
Returned returned_from(std::string_view bytes);
Checkpoint checkpoint_from(std::string_view bytes);

/// Whether a checkpoint can hold a file of this name: one without folders, that is not hidden.
bool is_file_name(const std::string& name);

}  // namespace troupe
