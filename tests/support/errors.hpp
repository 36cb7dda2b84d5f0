#pragma once

#include <optional>
#include <string>

#include "troupe/error.hpp"

/// Returns the code of the troupe::Error that `action` throws, or nothing if `action` does not throw.
template <class F>
std::optional<troupe::ErrorCode> code_of(F action) {
  try {
    action();
  } catch (const troupe::Error& error) {
    return error.code();
  }
  return std::nullopt;
}

/// Returns the text of the troupe::Error that `action` throws, or an empty string if `action` does not throw.
template <class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const troupe::Error& error) {
    return error.what();
  }
  return "";
}

/// Returns the place (`where`) of the troupe::Error that `action` throws, or an empty place if `action` does not throw.
template <class F>
troupe::Where where_of(F action) {
  try {
    action();
  } catch (const troupe::Error& error) {
    return error.where();
  }
  return {};
}

/// Returns whether there is an error and its message contains `text`.
inline bool says(const std::optional<troupe::Error>& error, const std::string& text) {
  return error && error->message().find(text) != std::string::npos;
}
