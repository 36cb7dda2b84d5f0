#include "models/data/csv/csv_arguments.hpp"

#include <optional>
#include <string_view>

#include "models/data/arguments.hpp"
#include "models/data/file_patterns.hpp"
#include "models/files/csv.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

void add_files(std::vector<std::string>& files, const std::string& pattern) {
  for (std::string& file : files_of(pattern)) files.push_back(std::move(file));
}

MissingFields missing_of(const std::string& text) {
  if (text == "skip") return {MissingFields::Rule::skip, 0};
  if (text == "mean") return {MissingFields::Rule::mean, 0};
  const std::optional<float> number = csv_number(text);
  if (!number) throw_invalid("csv: missing=" + text + " must be skip, mean or a number");
  return {MissingFields::Rule::number, *number};
}

char separator_of(const std::string& text) {
  if (text == "tab") return '\t';
  if (text == "comma") return ',';
  if (text.size() != 1 || text == "\"")
    throw_invalid("csv: separator=" + text + " must be a single character, tab or comma");
  return text.front();
}

CsvArguments::Header header_of(const std::string& text) {
  if (text != "yes" && text != "no") throw_invalid("csv: header=" + text + " must be yes or no");
  return text == "yes" ? CsvArguments::Header::yes : CsvArguments::Header::no;
}

}  // namespace

CsvArguments parse_csv_arguments(const std::string& text) {
  CsvArguments asked;
  const auto add_test = [&](const std::string& value) { add_files(asked.test_files, value); };
  const auto files = parse_data_arguments(
      "csv", text, kCsvUsage,
      {{"test", add_test},
       {"target", [&](const std::string& value) { asked.targets = split_text(value, '+'); }},
       {"class", [&](const std::string& value) { asked.class_column = value; }},
       {"ignore", [&](const std::string& value) { asked.ignored = split_text(value, '+'); }},
       {"text", [&](const std::string& value) { asked.text = split_text(value, '+'); }},
       {"missing", [&](const std::string& value) { asked.missing = missing_of(value); }},
       {"unseen", [&](const std::string& value) { asked.unseen_zero = zero_for_unseen("csv", value); }},
       {"header", [&](const std::string& value) { asked.header = header_of(value); }},
       {"separator", [&](const std::string& value) { asked.separator = separator_of(value); }}});
  for (const std::string& file : files) add_files(asked.files, file);
  if (asked.files.empty()) throw_invalid("csv:" + text + " does not name a file; usage: csv" + kCsvUsage);
  if (!asked.targets.empty() && !asked.class_column.empty())
    throw_invalid("csv: use either class= or target=, not both");
  return asked;
}

}  // namespace troupe
