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

/// What is said of a file that is refused, behind its name.
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

TEST_CASE("a file of comma separated values is rows of fields") {
  CHECK(rows_of("a,b\n1,2\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("a,b\r\n1,\r\n") == Rows{{"a", "b"}, {"1", ""}});
  CHECK(rows_of("\xEF\xBB\xBF"
                "a\n1") == Rows{{"a"}, {"1"}});
  CHECK(rows_of("a,b\n\n\r\n1,2") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("") == Rows{});
  CHECK(rows_of("\n\n") == Rows{});
  CHECK(rows_of(" a , b\n") == Rows{{" a ", " b"}});
}

TEST_CASE("a field in quotes holds separators, line ends and doubled quotes") {
  CHECK(rows_of("\"a,b\",c\n") == Rows{{"a,b", "c"}});
  CHECK(rows_of("\"a\nb\",\"\"\r\n\"c\"\"d\",\"\"\"\"\n") == Rows{{"a\nb", ""}, {"c\"d", "\""}});
  CHECK(rows_of("\"x\r\"\n\"y\"") == Rows{{"x\r"}, {"y"}});
  CHECK(refusal_of("a\n\"b\n\nc").find("line 2: a quote that does not end") != std::string::npos);
  CHECK(refusal_of("a,b\n1,2\"\n").find("line 2: a quote inside a field") != std::string::npos);
  CHECK(refusal_of("\"a\"b\n").find("line 1: text behind the quote") != std::string::npos);
}

TEST_CASE("the separator is the most frequent one of the first row, unless it is told") {
  CHECK(rows_of("a;b;c,d\n1;2;3\n") == Rows{{"a", "b", "c,d"}, {"1", "2", "3"}});
  CHECK(rows_of("a\tb\n") == Rows{{"a", "b"}});
  CHECK(rows_of("\"a;b;c\",d\n") == Rows{{"a;b;c", "d"}});
  CHECK(rows_of("a|b,c,d\n", '|') == Rows{{"a", "b,c,d"}});
}

TEST_CASE("rows are the same wherever the pieces end in which a file is read") {
  const std::string long_field(700'000, 'x');
  std::string text;
  Rows rows;
  for (int i = 0; i < 5; ++i) {
    text += "\"" + long_field + "\"\"\n\"," + std::to_string(i) + "\r\n";
    rows.push_back({long_field + "\"\n", std::to_string(i)});
  }
  CHECK((rows_of(text) == rows));
  const std::string endless = "a\n" + std::string(17'000'000, 'y');
  CHECK(refusal_of(endless).find("line 2: a row of more than 16 MB") != std::string::npos);
}

TEST_CASE("each row tells its line and where it lies") {
  const CsvFile file("a\n\"b\nc\"\n\nd");
  CsvReader reader(file.path());
  const auto next = [&] { return reader.next() ? std::pair(reader.line(), reader.offset()) : std::pair(-1L, 0UL); };
  CHECK(next() == std::pair(1L, 0UL));
  CHECK(next() == std::pair(2L, 2UL));
  CHECK(next() == std::pair(5L, 9UL));
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.next());
}

TEST_CASE("numbers have a point, whatever the locale, and are finite") {
  CHECK(csv_number("1.5") == 1.5F);
  CHECK(csv_number(" -2e3\t") == -2000.0F);
  CHECK(csv_number("+.25") == 0.25F);
  CHECK(csv_number("007") == 7.0F);
  CHECK(csv_number("1e-60") == 0.0F);
  for (const char* text : {"", " ", "1,5", "1.2.3", "0x10", "1e60", "nan", "inf", "-inf", "+-1", "1 2", "twelve"})
    CHECK_MESSAGE(!csv_number(text), text);
}
