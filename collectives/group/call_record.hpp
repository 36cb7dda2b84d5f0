#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collectives/group/collective.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// The description of one call of a collective. A rank sends it to the other ranks, or writes it into shared memory.
/// The other ranks use it only to detect different calls and to build error messages.
struct CallRecord {
  std::uint64_t count = 0;
  std::uint32_t line = 0;
  std::int32_t root = 0;
  std::uint8_t kind = 0;
  std::uint8_t type = 0;
  std::uint8_t op = 0;
  std::uint8_t unused = 0;
  std::uint64_t number = 0;  ///< 1 for the rank's first call, and so on; 0: the rank has made no call
  char file[96] = {};

  CallRecord() = default;
  CallRecord(const Collective& call, std::uint64_t number_of_call);

  /// Returns true if the two calls match: the same collective, element type, operation, root and number of elements.
  bool same_call(const CallRecord& other) const;
  /// Returns a text for error messages, such as "all_reduce(100 f32, sum) at train.cpp:12".
  std::string text() const;
  /// Returns a name such as "all_reduce", for Where::phase.
  const char* phase() const;
};

/// Returns an error that lists the call of each rank and its place in the source.
/// @param records the call of each rank, in order of rank
/// @param names the name of each rank, in order of rank
/// @param own_rank the rank whose collective the error names as the phase
Error different_calls(std::span<const CallRecord> records, std::span<const std::string> names, int own_rank);

/// Writes `text` into an array of fixed length, with a zero byte at the end. Truncates a text that is too long.
void write_text(std::span<char> to, const std::string& text);
/// Returns the text in an array that another process may have written, up to the first zero byte. Replaces characters
/// that are not safe to show in a terminal, so that the result is one line.
std::string read_text(std::span<const char> from);

}  // namespace troupe
