#pragma once

#include <optional>
#include <string>

#include "troupe/error.hpp"

/// The code of the troupe::Error that `action` throws; none when it throws nothing.
template <class F>
std::optional<troupe::ErrorCode> code_of(F action) {
  try {
    action();
  } catch (const troupe::Error& error) {
    return error.code();
  }
  return std::nullopt;
}

/// Its text; empty when nothing is thrown.
template <class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const troupe::Error& error) {
    return error.what();
  }
  return "";
}

/// Its place.
template <class F>
troupe::Where where_of(F action) {
  try {
    action();
  } catch (const troupe::Error& error) {
    return error.where();
  }
  return {};
}
