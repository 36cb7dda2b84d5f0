#include "models/data/csv/csv_index.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

#include "models/data/kept_index.hpp"
#include "runtime/http/url.hpp"

namespace troupe {
namespace {

constexpr std::string_view kIndexKind = "troupe csv index ";
/// The first bytes of each index, which contain the version of its format. When you change the format, or the rules by
/// which rows become samples, increase the version, so that old indexes are not used.
constexpr std::string_view kIndexStart = "troupe csv index 3\n";

/// An index may have this number of bytes in addition to the bytes that most_bytes_of_index allows for its rows,
/// categories, columns and key.
constexpr std::uint64_t kShortCsvIndex = std::uint64_t{1} << 20;

using Role = CsvColumn::Role;

/// Writes the bytes of an index. Numbers are stored as LEB128: seven bits in each byte, least significant bits first.
/// The eighth bit of a byte is set if more bytes of the number follow.
class IndexWriter {
 public:
  void number(std::uint64_t value) {
    for (; value > 0x7F; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads the numbers and texts of an index that IndexWriter wrote. After the first invalid value, `good` returns false,
/// and all further values are meaningless.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    constexpr unsigned kBits = 64;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < kBits && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    good_ = good_ && size <= rest_.size();
    return good_ ? take(size) : "";
  }
  /// Reads and returns the number of entries that follow. If the number exceeds the number of remaining bytes, the
  /// index is invalid, because each entry takes at least one byte; returns 0.
  std::size_t count() {
    const std::uint64_t count = number();
    good_ = good_ && count <= rest_.size();
    return good_ ? count : 0;
  }
  void expect(bool what) { good_ = good_ && what; }
  bool good() const { return good_; }
  bool ended() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};

void write_offsets(IndexWriter& to, const CsvRows& rows) {
  std::size_t row = 0;
  for (const CsvRows::File& file : rows.files) {
    to.number(static_cast<std::uint64_t>(file.end));
    for (std::uint64_t before = 0; row < static_cast<std::size_t>(file.end); before = rows.offsets[row++])
      to.number(rows.offsets[row] - before);
  }
}

void read_offsets(IndexReader& from, CsvRows& rows, const std::vector<CsvRows::File>& files) {
  for (const CsvRows::File& file : files) {
    const auto end = static_cast<std::int64_t>(from.number());
    from.expect(end >= std::ssize(rows.offsets) && end <= rows.count);
    std::uint64_t offset = 0;
    while (from.good() && std::ssize(rows.offsets) < end) {
      const std::uint64_t distance = from.number();
      from.expect(distance < file.file->size() - offset);
      offset += distance;
      rows.offsets.push_back(offset);
    }
    rows.files.push_back({file.name, file.file, file.separator, end});
  }
  from.expect(std::ssize(rows.offsets) == rows.count);
}

void write_categories(IndexWriter& to, const std::vector<CsvColumn>& columns) {
  for (const CsvColumn& column : columns) {
    to.number(column.categories.size());
    for (const std::string& category : column.categories.names()) to.text(category);
  }
}

void write_labels(IndexWriter& to, const CsvRows& rows) {
  for (const std::int32_t label : rows.labels) to.number(static_cast<std::uint64_t>(label));
}

void read_labels(IndexReader& from, CsvIndex& index, const std::vector<CsvColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].role != Role::label) continue;
    for (std::int64_t row = 0; from.good() && row < index.rows.count; ++row) {
      const std::uint64_t label = from.number();
      from.expect(label < index.categories[i].size());
      index.rows.labels.push_back(static_cast<std::int32_t>(label));
    }
  }
}

std::vector<std::vector<std::string>> read_categories(IndexReader& from, const std::vector<CsvColumn>& columns) {
  std::vector<std::vector<std::string>> categories(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t count = from.count();
    from.expect(columns[i].is_text || count == 0);
    for (std::size_t category = 0; from.good() && category < count; ++category) categories[i].emplace_back(from.text());
  }
  return categories;
}

std::size_t number_of_features(const std::vector<CsvColumn>& columns) {
  return static_cast<std::size_t>(std::ranges::count(columns, Role::feature, &CsvColumn::role));
}

/// Returns the maximum size of the index of these files, in bytes; longer indexes are not read. The offsets and labels
/// of the rows take at most as many bytes in the index as the rows take in the files. The same is true for the
/// categories. Therefore the limit includes twice the size of the files.
std::uint64_t most_bytes_of_index(const std::vector<CsvRows::File>& files, const std::string& key,
                                  const std::vector<CsvColumn>& columns) {
  constexpr std::uint64_t kOfColumn = 32;
  std::uint64_t most = kShortCsvIndex + 2 * key.size() + kOfColumn * columns.size();
  for (const CsvRows::File& file : files) most += 2 * file.file->size();
  return most;
}

}  // namespace

std::string csv_index_key(const std::vector<CsvRows::File>& files, const CsvArguments& asked,
                          const std::vector<CsvColumn>& columns) {
  IndexWriter key;
  for (const CsvRows::File& file : files) {
    key.text(is_url(file.name) ? file.name : std::filesystem::path(file.name).filename().string());
    key.number(file.file->size());
    key.number(static_cast<std::uint64_t>(file.file->modified()));
    key.number(static_cast<unsigned char>(file.separator));
  }
  key.number(static_cast<std::uint64_t>(asked.header));
  key.number(static_cast<std::uint64_t>(asked.missing.rule));
  key.number(std::bit_cast<std::uint32_t>(asked.missing.number));
  key.number(asked.unseen_zero ? 1 : 0);
  for (const CsvColumn& column : columns) {
    key.text(column.name);
    key.number(static_cast<std::uint64_t>(column.role));
    key.number(column.is_text ? 1 : 0);
    key.number(column.slot);
    key.number(column.fill ? std::bit_cast<std::uint32_t>(*column.fill) + std::uint64_t{1} : 0);
  }
  write_categories(key, columns);
  return std::move(key).take();
}

std::string to_bytes(const CsvRows& rows, const std::vector<CsvColumn>& columns, std::string_view key) {
  IndexWriter to;
  to.raw(kIndexStart);
  to.text(key);
  for (const std::int64_t missing : rows.missing) to.number(static_cast<std::uint64_t>(missing));
  for (const float mean : rows.means) to.number(std::bit_cast<std::uint32_t>(mean));
  write_categories(to, columns);
  to.number(static_cast<std::uint64_t>(rows.count));
  write_labels(to, rows);
  write_offsets(to, rows);
  return std::move(to).take();
}

std::optional<CsvIndex> csv_index_from(std::string_view bytes, std::string_view key,
                                       const std::vector<CsvRows::File>& files, const std::vector<CsvColumn>& columns) {
  if (!bytes.starts_with(kIndexStart)) return std::nullopt;
  IndexReader from(bytes.substr(kIndexStart.size()));
  if (from.text() != key) return std::nullopt;
  CsvIndex index;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t missing = from.number();
    from.expect(missing <= INT64_MAX);
    index.rows.missing.push_back(static_cast<std::int64_t>(missing));
  }
  for (std::size_t i = 0; i < number_of_features(columns); ++i)
    index.rows.means.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(from.number())));
  index.categories = read_categories(from, columns);
  index.rows.count = static_cast<std::int64_t>(from.count());
  read_labels(from, index, columns);
  read_offsets(from, index.rows, files);
  if (!from.good() || !from.ended()) return std::nullopt;
  return index;
}

std::optional<CsvIndex> read_csv_index(const std::string& key, const std::vector<CsvRows::File>& files,
                                       const std::vector<CsvColumn>& columns) {
  const std::uint64_t most = most_bytes_of_index(files, key, columns);
  const auto kept = read_kept_index(index_place(files.front().name).path, kIndexStart, most);
  return kept ? csv_index_from(*kept, key, files, columns) : std::nullopt;
}

void keep_csv_index(const std::string& key, const CsvRows& rows, const std::vector<CsvColumn>& columns) {
  keep_index(index_place(rows.files.front().name).path, kIndexKind, to_bytes(rows, columns, key));
}

}  // namespace troupe
