#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/tar/tar_samples.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {

/// The samples that were found by reading a whole archive once. Stored next to the archive, so that later runs need not
/// read the whole archive; see kept_index.hpp.
struct TarIndex {
  std::uint64_t file_bytes = 0;  ///< size of the archive's file, to detect changes
  std::int64_t modified = 0;     ///< InputFile::modified
  std::uint64_t content = 0;     ///< size of the decompressed content in bytes
  std::vector<TarSample> samples;

  bool operator==(const TarIndex&) const = default;
};

/// Returns the index as text: a line with numbers, then one line for each sample, with fields separated by tabs.
std::string to_text(const TarIndex& index);
/// Returns the index that `to_text` wrote. Returns nothing if the text is not an index, has another version, or refers
/// to bytes behind the end of the archive.
std::optional<TarIndex> tar_index_from(std::string_view text);

/// Returns the index of an archive. Uses the stored index if it is valid and the archive has not changed since.
/// Otherwise reads the whole archive, and stores the new index if the folder is writable.
/// @throws Error bad_file, limit_reached for an archive that cannot be used
TarIndex index_of_archive(const InputFile& file);

}  // namespace troupe
