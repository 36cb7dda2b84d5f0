#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collectives/group/collective.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// What a rank calls, as it tells the others: bytes that are believed for errors only.
struct CallRecord {
  std::uint64_t count = 0;
  std::uint32_t line = 0;
  std::int32_t root = 0;
  std::uint8_t kind = 0;
  std::uint8_t type = 0;
  std::uint8_t op = 0;
  std::uint8_t unused = 0;
  std::uint64_t number = 0;  ///< of the rank's calls; 0: there was none
  char file[96] = {};

  CallRecord() = default;
  CallRecord(const Collective& call, std::uint64_t number_of_call);

  bool same_call(const CallRecord& other) const;
  /// Such as "all_reduce(100 f32, sum) at train.cpp:12".
  std::string text() const;
  /// Such as "all_reduce", for Where::phase.
  const char* phase() const;
};

/// Who called what where. @param names of the ranks; both are in order of rank
Error different_calls(std::span<const CallRecord> records, std::span<const std::string> names, int own_rank);

/// Writes a text into a place of fixed length, cut to its room.
void write_text(std::span<char> to, const std::string& text);
/// Reads one that somebody else may have written: one line that a terminal may show.
std::string read_text(std::span<const char> from);

}  // namespace troupe
