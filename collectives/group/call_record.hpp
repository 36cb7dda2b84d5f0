#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collectives/group/collective.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// The description of one call of a collective. A rank sends its record to the other ranks, or writes the record into
/// shared memory. The other ranks use a record only to detect that ranks have made different calls, and for error
/// messages.
struct CallRecord {
  std::uint64_t count = 0;
  std::uint32_t line = 0;
  std::int32_t root = 0;
  std::uint8_t kind = 0;
  std::uint8_t type = 0;
  std::uint8_t op = 0;
  std::uint8_t unused = 0;
  std::uint64_t number = 0;  ///< the number of the call among the rank's calls, from 1 on; 0: the rank has made no call
  char file[96] = {};

  CallRecord() = default;
  CallRecord(const Collective& call, std::uint64_t number_of_call);

  /// Returns true if the two calls match: they have the same collective, element type, operation, root and number of
  /// elements.
  bool same_call(const CallRecord& other) const;
  /// Returns the record as a text for error messages, such as "all_reduce(100 f32, sum) at train.cpp:12".
  std::string text() const;
  /// Returns the name of the collective, such as "all_reduce", for Where::phase.
  const char* phase() const;
};

/// Returns the error for ranks that have made different calls. The message lists the call of each rank and the line of
/// the call in the source code.
/// @param records the call of each rank, in order of rank
/// @param names the name of each rank, in order of rank
/// @param own_rank this rank; the name of its collective is the phase of the error
Error different_calls(std::span<const CallRecord> records, std::span<const std::string> names, int own_rank);

/// Writes `text` with a zero byte at the end into the array `to`. Truncates `text` if it is too long.
void write_text(std::span<char> to, const std::string& text);
/// Returns the text in the array `from`, up to the first zero byte. Another process may have written the array, so this
/// function replaces characters that are not safe to show in a terminal. The result is one line.
std::string read_text(std::span<const char> from);

}  // namespace troupe
