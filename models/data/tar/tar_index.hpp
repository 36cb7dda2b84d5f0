#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/tar/tar_samples.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {

/// The result of reading an archive once.
struct TarIndex {
  std::uint64_t file_bytes = 0;  ///< size of the archive's file, to detect changes
  std::int64_t modified = 0;     ///< InputFile::modified
  std::uint64_t content = 0;     ///< size of the decompressed content in bytes
  std::vector<TarSample> samples;

  bool operator==(const TarIndex&) const = default;
};

/// Returns a line of numbers, then one line per sample with fields separated by tabs.
std::string to_text(const TarIndex& index);
/// Returns nothing for a text that is not an index, has another version, or refers to bytes behind the archive's end.
std::optional<TarIndex> tar_index_from(std::string_view text);

/// Returns the index of an archive. Reads the stored index, or else creates it and stores it if the folder is writable.
/// @throws Error bad_file, limit_reached for an archive that cannot be used
TarIndex index_of_archive(const InputFile& file);

}  // namespace troupe
