#include "models/data/tar/tar_index.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "models/data/kept_index.hpp"
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
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_escaped(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == '%' || letter == 0x7f; }

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (is_escaped(letter))
      safe += {'%', kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
    else
      safe += letter;
  }
  return safe;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* const end = text.data() + i + 3;
    if (std::from_chars(text.data() + i + 1, end, byte, 16).ptr != end) return std::nullopt;
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

/// Reads the fields of a line, one after the other. After the last field, `all_good` returns whether all fields were
/// valid and the line contained no further fields.
class LineFields {
 public:
  explicit LineFields(std::string_view line) : rest_(line) {}

  template <class T>
  void number(T& to) {
    const std::string_view field = next();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), to);
    good_ = good_ && error == std::errc{} && end == field.data() + field.size();
  }
  void text(std::string& to) {
    auto plain = unescaped(next());
    good_ = good_ && plain;
    if (plain) to = std::move(*plain);
  }
  void member(TarMember& to) {
    text(to.name);
    number(to.offset);
    number(to.bytes);
  }
  bool all_good() const { return good_ && ended_; }

 private:
  std::string_view next() {
    good_ = good_ && !ended_;
    const std::size_t end = rest_.find('\t');
    const std::string_view field = rest_.substr(0, end);
    ended_ = end == std::string_view::npos;
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
    return field;
  }

  std::string_view rest_;
  bool good_ = true;
  bool ended_ = false;
};

std::string line_of(const TarMember& member) {
  return escaped(member.name) + '\t' + std::to_string(member.offset) + '\t' + std::to_string(member.bytes);
}

std::string line_of(const TarSample& sample) {
  return line_of(sample.values) + '\t' + std::to_string(static_cast<int>(sample.answer)) + '\t' +
         (sample.answer == TarAnswer::targets ? line_of(sample.targets) : escaped(sample.label)) + '\n';
}

std::optional<TarSample> sample_from(std::string_view line) {
  TarSample sample;
  LineFields fields(line);
  int answer = 0;
  fields.member(sample.values);
  fields.number(answer);
  sample.answer = static_cast<TarAnswer>(answer);
  if (answer < static_cast<int>(TarAnswer::number) || answer > static_cast<int>(TarAnswer::targets))
    return std::nullopt;
  if (sample.answer == TarAnswer::targets)
    fields.member(sample.targets);
  else
    fields.text(sample.label);
  if (!fields.all_good()) return std::nullopt;
  return sample;
}

bool reaches_behind(const TarMember& member, std::uint64_t end) {
  return member.offset > end || member.bytes > end - member.offset;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

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
  for (const TarSample& sample : index.samples) text += line_of(sample);
  return text;
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
  while (!rest.empty()) {
    auto sample = sample_from(take_line(rest));
    if (!sample || reaches_behind(sample->values, index.content) || reaches_behind(sample->targets, index.content))
      return std::nullopt;
    index.samples.push_back(std::move(*sample));
  }
  if (index.samples.size() != count) return std::nullopt;
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
