#include "models/data/tar/tar_index.hpp"

#include <algorithm>
#include <utility>

#include "models/data/kept_index.hpp"
#include "models/data/tar/tar_lines.hpp"
#include "runtime/http/gap_reader.hpp"
#include "runtime/http/url.hpp"

namespace troupe {
namespace {

constexpr std::string_view kIndexKind = "troupe tar index ";
/// The first bytes of each index, which contain the version of its format. When you change the format, or the rules by
/// which members of an archive become samples, increase the version, so that old indexes are not used.
constexpr std::string_view kIndexStart = "troupe tar index 1\t";
/// An index may have at most this number of bytes more than the decompressed content of its archive; a longer index is
/// not read. The limit is high enough: each member has a header of at least 512 bytes in the archive, which takes more
/// space than the member's fields in the index.
constexpr std::uint64_t kShortTarIndex = std::uint64_t{1} << 20;
/// The compression ratio that is assumed for a compressed archive, to estimate the size of its content for the size
/// limit of its index.
constexpr std::uint64_t kLikelyRatio = 1000;

bool is_of(const TarIndex& index, const ByteSource& archive) {
  return index.file_bytes == archive.size() && index.modified == archive.modified() &&
         (!index.is_compressed() || index.content <= kMostBytesOfPart);
}

std::uint64_t most_bytes_of_index(const ByteSource& archive) {
  return std::max(archive.size(), std::min(kMostBytesOfPart, kLikelyRatio * archive.size())) + kShortTarIndex;
}

std::optional<TarIndex> kept_index(const IndexPlace& place, const ByteSource& archive) {
  const auto text = read_kept_index(place.path, kIndexStart, most_bytes_of_index(archive));
  if (!text) return std::nullopt;
  auto index = tar_index_from(*text);
  if (index && !is_of(*index, archive)) index.reset();
  return index;
}

/// Reads an archive and returns its index.
TarIndex make_index(const std::string& name, const std::shared_ptr<const ByteSource>& file) {
  std::shared_ptr<const ByteSource> source = file;
  if (is_url(name)) source = std::make_shared<GapReader>(file);
  const bool compressed = is_compressed(*source);
  const ArchiveBytes archive =
      compressed ? ArchiveBytes(source->path(), read_decompressed(*source)) : ArchiveBytes(source);
  return {file->size(), file->modified(), archive.size(), find_samples(archive)};
}

}  // namespace

std::string to_text(const TarIndex& index) {
  std::string text(kIndexStart);
  text += std::to_string(index.file_bytes) + '\t' + std::to_string(index.modified) + '\t' +
          std::to_string(index.content) + '\t' + std::to_string(index.samples.size()) + '\n';
  return text += index.samples.lines();
}

std::optional<TarIndex> tar_index_from(std::string_view text) {
  if (!text.starts_with(kIndexStart)) return std::nullopt;
  std::string_view rest = text;
  TarIndex index;
  std::uint64_t count = 0;
  LineFields fields(take_line(rest).substr(kIndexStart.size()));
  fields.number(index.file_bytes);
  fields.number(index.modified);
  fields.number(index.content);
  fields.number(count);
  if (!fields.all_good()) return std::nullopt;
  const auto reaches_behind_end = [&](const TarMember& member) {
    return member.offset > index.content || member.bytes > index.content - member.offset;
  };
  bool within = true;
  auto samples = TarSampleList::from_lines(rest, [&](const TarSample& sample) {
    within = within && !reaches_behind_end(sample.values) && !reaches_behind_end(sample.targets);
  });
  if (!samples || samples->size() != count || !within) return std::nullopt;
  index.samples = std::move(*samples);
  return index;
}

TarIndex index_of_archive(const std::string& name, const std::shared_ptr<const ByteSource>& file) {
  const IndexPlace place = file->modified() != 0 ? index_place(name) : IndexPlace();
  if (auto kept = kept_index(place, *file)) return std::move(*kept);
  const auto lock = place.lock();
  if (lock != nullptr)
    if (auto kept = kept_index(place, *file)) return std::move(*kept);
  TarIndex index = make_index(name, file);
  keep_index(place.path, kIndexKind, to_text(index));
  return index;
}

}  // namespace troupe
