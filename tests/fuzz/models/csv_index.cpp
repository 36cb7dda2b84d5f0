#include "models/data/csv/csv_index.hpp"

#include <memory>

#include "fuzz/support.hpp"
#include "runtime/files/input_file.hpp"

using namespace troupe;

namespace {

std::vector<CsvColumn> columns() {
  using Role = CsvColumn::Role;
  return {
      {.name = "size"}, {.name = "colour", .is_text = true}, {.name = "kind", .role = Role::label, .is_text = true}};
}

/// Returns two files of 1,000 bytes that an index may refer to.
std::vector<CsvRows::File> files() {
  static fuzz::InputInFile in_memory;
  static const std::string bytes(1000, 'x');
  static const auto file = std::make_shared<const InputFile>(in_memory.hold(std::as_bytes(std::span(bytes))));
  return {{"a.csv", file, ',', 0}, {"b.csv", file, ',', 0}};
}

void check(const CsvRows& rows) {
  fuzz::expect(std::ssize(rows.labels) == rows.count, "there is one label for each row");
  fuzz::expect(std::ssize(rows.offsets) == rows.count, "there is one offset for each row");
  fuzz::expect(rows.files.back().end == rows.count, "each row belongs to a file");
  for (const std::uint64_t offset : rows.offsets) fuzz::expect(offset < 1000, "rows begin in their file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto index = csv_index_from({reinterpret_cast<const char*>(data), size}, "key", files(), columns());
  if (!index) return 0;
  check(index->rows);
  std::vector<CsvColumn> read = columns();
  for (std::size_t i = 0; i < read.size(); ++i) read[i].categories = Categories(index->categories[i]);
  const auto again = csv_index_from(to_bytes(index->rows, read, "key"), "key", files(), columns());
  const bool distinct = [&] {  // an index with wrong entries may contain a name twice
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i].categories.size() != index->categories[i].size()) return false;
    return true;
  }();
  if (!distinct) return 0;
  fuzz::expect(again && again->rows.offsets == index->rows.offsets && again->rows.labels == index->rows.labels &&
                   again->rows.missing == index->rows.missing && again->categories == index->categories,
               "the index is read as it was written");
  return 0;
}
