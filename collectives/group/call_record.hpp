#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collectives/group/collective.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// A rank's call, as the rank sends it to the other ranks. The receivers use these bytes only to build errors.
struct CallRecord {
  std::uint64_t count = 0;
  std::uint32_t line = 0;
  std::int32_t root = 0;
  std::uint8_t kind = 0;
  std::uint8_t type = 0;
  std::uint8_t op = 0;
  std::uint8_t unused = 0;
  std::uint64_t number = 0;  ///< of this call among the rank's calls, from 1 on; 0: there was no call
  char file[96] = {};

  CallRecord() = default;
  CallRecord(const Collective& call, std::uint64_t number_of_call);

  bool same_call(const CallRecord& other) const;
  /// Returns a text such as "all_reduce(100 f32, sum) at train.cpp:12".
  std::string text() const;
  /// Returns a name such as "all_reduce", for Where::phase.
  const char* phase() const;
};

/// Returns an error that lists the call of each rank and its place in the source.
/// @param names of the ranks; both spans are in order of rank
Error different_calls(std::span<const CallRecord> records, std::span<const std::string> names, int own_rank);

/// Writes a text into an array of fixed length. Truncates a longer text.
void write_text(std::span<char> to, const std::string& text);
/// Reads a text that another process may have written. Returns one line that is safe to show in a terminal.
std::string read_text(std::span<const char> from);

}  // namespace troupe
