#include "models/files/csv.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& path, char separator) {
  CsvReader reader(path, separator);
  Rows rows;
  std::int64_t line = 0;
  while (reader.next()) {
    fuzz::expect(reader.line() > line, "each row begins on a line of its own");
    fuzz::expect(reader.size() > 0, "a row has a field");
    line = reader.line();
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < reader.size(); ++i) row.emplace_back(reader.field(i));
  }
  return rows;
}

std::string quoted(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "\"" : ",\"";
      for (const char letter : row[i]) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  static fuzz::InputInFile again;
  fuzz::may_refuse(
      [&] {
        const Rows rows = rows_of(file.hold(std::as_bytes(std::span(data, size))), 0);
        for (const auto& row : rows)
          for (const std::string& field : row)
            if (const auto number = csv_number(field)) fuzz::expect(*number - *number == 0, "numbers are finite");
        const std::string text = quoted(rows);
        fuzz::expect(rows_of(again.hold(std::as_bytes(std::span(text))), ',') == rows,
                     "quoted fields are read as they were written");
      },
      {ErrorCode::bad_file});
  return 0;
}
