#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/data/tar/tar_samples.hpp"
#include "runtime/files/byte_source.hpp"

namespace troupe {

/// The index of an archive: the samples that Troupe found when it read the whole archive. Troupe stores the index next
/// to the archive, so that later runs need not read the whole archive; see kept_index.hpp.
struct TarIndex {
  std::uint64_t file_bytes = 0;  ///< size in bytes of the archive's file, to detect changes
  std::int64_t modified = 0;     ///< time of the last change of the archive's file (ByteSource::modified), to detect
                                 ///< changes
  std::uint64_t content = 0;     ///< size of the decompressed content in bytes
  TarSampleList samples = {};

  /// Compression changes the size of any archive: each ends with at least 1,024 zeros.
  bool is_compressed() const { return content != file_bytes; }
  bool operator==(const TarIndex&) const = default;
};

/// Returns the index as text: one line with the version, the sizes and the number of samples, then one line for each
/// sample. Tabs separate the fields of a line.
std::string to_text(const TarIndex& index);
/// Returns the index that `text` contains; the reverse of `to_text`. Returns nothing if the text is not an index, has
/// another version, or refers to bytes behind the end of the archive.
std::optional<TarIndex> tar_index_from(std::string_view text);

/// Returns the index of an archive. If a stored index is valid, and the archive has not changed since then, returns the
/// stored index. Otherwise finds the samples, and stores the new index: next to the archive, or for an archive on a
/// server with a strong ETag in the cache folder (index_place). Only one process of the machine makes the index of an
/// archive on a server; others wait for it.
/// @param name the path or the whole URL
/// @throws Error bad_file or limit_reached if the archive cannot be used
TarIndex index_of_archive(const std::string& name, const std::shared_ptr<const ByteSource>& file);

}  // namespace troupe
