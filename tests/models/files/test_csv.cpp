#include <doctest/doctest.h>

#include "models/files.hpp"
#include "models/files/csv.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Rows = std::vector<std::vector<std::string>>;

class CsvFile {
 public:
  explicit CsvFile(const std::string& text) { write_file(path(), text); }
  std::string path() const { return folder_ / "data.csv"; }

 private:
  TemporaryFolder folder_;
};

Rows rows_of(const std::string& text, char separator = 0) {
  const CsvFile file(text);
  CsvReader reader(file.path(), separator);
  Rows rows;
  while (reader.next()) {
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < reader.size(); ++i) row.emplace_back(reader.field(i));
  }
  return rows;
}

/// Returns the error about a refused file, without the file's name.
std::string refusal_of(const std::string& text) {
  const CsvFile file(text);
  const std::string message = message_of([&] {
    CsvReader reader(file.path());
    while (reader.next()) continue;
  });
  CHECK(message.find(file.path()) != std::string::npos);
  return message;
}

}  // namespace

TEST_CASE("a CSV file is split into rows of fields") {
  CHECK(rows_of("a,b\n1,2\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("a,b\r\n1,\r\n") == Rows{{"a", "b"}, {"1", ""}});
  CHECK(rows_of("\xEF\xBB\xBF"
                "a\n1") == Rows{{"a"}, {"1"}});
  CHECK(rows_of("a,b\n\n\r\n1,2") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("") == Rows{});
  CHECK(rows_of("\n\n") == Rows{});
  CHECK(rows_of(" a , b\n") == Rows{{" a ", " b"}});
}

TEST_CASE("a quoted field may contain separators, line ends and doubled quotes") {
  CHECK(rows_of("\"a,b\",c\n") == Rows{{"a,b", "c"}});
  CHECK(rows_of("\"a\nb\",\"\"\r\n\"c\"\"d\",\"\"\"\"\n") == Rows{{"a\nb", ""}, {"c\"d", "\""}});
  CHECK(rows_of("\"x\r\"\n\"y\"") == Rows{{"x\r"}, {"y"}});
  CHECK(refusal_of("a\n\"b\n\nc").find("line 2: the closing quote of a field is missing") != std::string::npos);
  CHECK(refusal_of("a,b\n1,2\"\n").find("line 2: a quote inside an unquoted field") != std::string::npos);
  CHECK(refusal_of("\"a\"b\n").find("line 1: text after the closing quote") != std::string::npos);
}

TEST_CASE("an empty line is a row in a file with one column, except at the end") {
  CHECK(rows_of("\na\n1\n\n\r\n3\n") == Rows{{"a"}, {"1"}, {""}, {""}, {"3"}});
  CHECK(rows_of("a\n1\n\n") == Rows{{"a"}, {"1"}});
  CHECK(rows_of("a\n\"\"\n1\r\n\r\n") == Rows{{"a"}, {""}, {"1"}});
  CHECK(rows_of("a\n1\n\"\"") == Rows{{"a"}, {"1"}, {""}});
  CHECK(rows_of("a\n1\n\n\n") == Rows{{"a"}, {"1"}, {""}});
  const CsvFile file("a\n1\n\n2\n");
  CsvReader here_and_there(std::make_shared<const InputFile>(file.path()), ',', 4);
  here_and_there.seek(4);
  REQUIRE(here_and_there.next());
  CHECK(here_and_there.field(0).empty());
}

TEST_CASE("a carriage return is allowed before a line feed, in quotes or at the end of the file") {
  CHECK(rows_of("a,b\r\n1,\"2\r3\"\r\n4,5\r") == Rows{{"a", "b"}, {"1", "2\r3"}, {"4", "5"}});
  CHECK(refusal_of("a,b\r1,2\r").find("line 1: a carriage return without a line feed") != std::string::npos);
  CHECK(refusal_of("a,b\n1,2\r\r\n").find("line 2: a carriage return") != std::string::npos);
}

TEST_CASE("a row with too many fields is refused") {
  CHECK(refusal_of("a,b\n" + std::string(100'000, ',')).find("line 2: the row has more than 100000") !=
        std::string::npos);
  CHECK(rows_of(std::string(99'999, ',') + "\n").front().size() == 100'000);
}

TEST_CASE("the separator defaults to the most frequent candidate of the first row") {
  CHECK(rows_of("a;b;c,d\n1;2;3\n") == Rows{{"a", "b", "c,d"}, {"1", "2", "3"}});
  CHECK(rows_of("a\tb\n") == Rows{{"a", "b"}});
  CHECK(rows_of("\"a;b;c\",d\n") == Rows{{"a;b;c", "d"}});
  CHECK(rows_of("a|b,c,d\n", '|') == Rows{{"a", "b,c,d"}});
}

TEST_CASE("rows are correct wherever the read buffer ends") {
  const std::string long_field(700'000, 'x');
  std::string text;
  Rows rows;
  for (int i = 0; i < 5; ++i) {
    text += "\"" + long_field + "\"\"\n\"," + std::to_string(i) + "\r\n";
    rows.push_back({long_field + "\"\n", std::to_string(i)});
  }
  CHECK((rows_of(text) == rows));
  const std::string endless = "a\n" + std::string(17'000'000, 'y');
  CHECK(refusal_of(endless).find("line 2: the row is longer than 16 MB") != std::string::npos);
}

TEST_CASE("the reader returns line number and offset of each row") {
  const CsvFile file("a,\n\"b\nc\",\n\nd,");
  CsvReader reader(file.path());
  const auto next = [&] { return reader.next() ? std::pair(reader.line(), reader.offset()) : std::pair(-1L, 0UL); };
  CHECK(next() == std::pair(1L, 0UL));
  CHECK(next() == std::pair(2L, 3UL));
  CHECK(next() == std::pair(5L, 11UL));
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.next());
}

TEST_CASE("numbers use a decimal point in every locale and are finite") {
  CHECK(csv_number("1.5") == 1.5F);
  CHECK(csv_number(" -2e3\t") == -2000.0F);
  CHECK(csv_number("+.25") == 0.25F);
  CHECK(csv_number("007") == 7.0F);
  CHECK(csv_number("1e-60") == 0.0F);
  for (const char* text : {"", " ", "1,5", "1.2.3", "0x10", "1e60", "nan", "inf", "-inf", "+-1", "1 2", "twelve"})
    CHECK_MESSAGE(!csv_number(text), text);
}

TEST_CASE("malformed numbers are distinguished from dates, versions, addresses and words") {
  for (const char* text : {"1,5", "-1,5", ",5", "+2,5e3", "1,234", " 1,5 ", "inf", "-Infinity", "1e39", "1e999"})
    CHECK_MESSAGE(is_meant_as_number(text), text);
  CHECK(is_meant_as_number(std::string_view("2\0", 2)));
  CHECK_FALSE(is_meant_as_number(std::string_view("A\0", 2)));
  for (const char* text :
       {"A1",        "12 Main St", "2012/01/01", "2012-01-01", "3 rooms", "192.168.0.1", "1.2.3",
        "1.234.567", "12345-6789", "1,234,567",  "1.234,5",    "5,",      "1,e5",        "030 1234567",
        "1,2,3",     "52.5, 13.4", "1,5 km",     "Main St, 5", ",",       "'",           ""})
    CHECK_MESSAGE(!is_meant_as_number(text), text);
}
