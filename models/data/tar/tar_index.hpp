#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/tar/tar_samples.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {

/// What was found by reading an archive once.
struct TarIndex {
  std::uint64_t file_bytes = 0;  ///< of the archive's file, by which it is seen that it has not changed
  std::int64_t modified = 0;     ///< InputFile::modified
  std::uint64_t content = 0;     ///< bytes, decompressed
  std::vector<TarSample> samples;

  bool operator==(const TarIndex&) const = default;
};

/// A line of numbers, and one a sample with tabs between its fields.
std::string to_text(const TarIndex& index);
/// Nothing for a text that is no index, of another version, or that speaks of bytes behind the archive's end.
std::optional<TarIndex> tar_index_from(std::string_view text);

/// The index of an archive: as it is kept beside it, or else made, and kept where its folder takes it.
/// @throws Error bad_file, limit_reached for an archive that cannot be used
TarIndex index_of_archive(const InputFile& file);

}  // namespace troupe
