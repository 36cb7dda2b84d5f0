#include "models/data/csv/csv_arguments.hpp"

#include <glob.h>

#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "models/files/csv.hpp"
#include "runtime/invalid.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
  }
  return parts;
}

/// Files that a pattern of the shell's kind fits, in the order of their names; a name without `*`, `?` and `[` as it
/// is.
std::vector<std::string> files_of(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos) return {pattern};
  glob_t found{};
  const int failed = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + (failed == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (files.empty()) throw_bad_file(pattern, "there is no file of such a name");
  return files;
}

void add_files(std::vector<std::string>& files, const std::string& pattern) {
  for (std::string& file : files_of(pattern)) files.push_back(std::move(file));
}

MissingFields missing_of(const std::string& text) {
  if (text == "skip") return {MissingFields::Rule::skip, 0};
  if (text == "mean") return {MissingFields::Rule::mean, 0};
  const std::optional<float> number = csv_number(text);
  if (!number) throw_invalid("csv: missing=" + text + " is neither skip nor mean nor a number");
  return {MissingFields::Rule::number, *number};
}

char separator_of(const std::string& text) {
  if (text == "tab") return '\t';
  if (text == "comma") return ',';
  if (text.size() != 1 || text == "\"") throw_invalid("csv: separator=" + text + " is not one letter, tab or comma");
  return text.front();
}

CsvArguments::Header header_of(const std::string& text) {
  if (text != "yes" && text != "no") throw_invalid("csv: header=" + text + " is neither yes nor no");
  return text == "yes" ? CsvArguments::Header::yes : CsvArguments::Header::no;
}

}  // namespace

CsvArguments parse_csv_arguments(const std::string& text) {
  CsvArguments asked;
  bool of_test = false;  // files behind "test=FILE" are the test set's
  const std::map<std::string, std::function<void(const std::string&)>> options{
      {"test", [&](const std::string& value) { add_files(asked.test_files, value), of_test = true; }},
      {"target", [&](const std::string& value) { asked.targets = split(value, '+'); }},
      {"class", [&](const std::string& value) { asked.class_column = value; }},
      {"ignore", [&](const std::string& value) { asked.ignored = split(value, '+'); }},
      {"text", [&](const std::string& value) { asked.text = split(value, '+'); }},
      {"missing", [&](const std::string& value) { asked.missing = missing_of(value); }},
      {"header", [&](const std::string& value) { asked.header = header_of(value); }},
      {"separator", [&](const std::string& value) { asked.separator = separator_of(value); }}};
  for (const std::string& part : split(text, ',')) {
    const std::size_t equal = part.find('=');
    const std::string key = part.substr(0, equal);
    if (equal != std::string::npos && options.contains(key)) {
      if (equal + 1 == part.size()) throw_invalid("csv: " + key + "= has no value");
      options.at(key)(part.substr(equal + 1));
    } else if (part.empty()) {
      throw_invalid("csv:" + text + " is not csv" + kCsvUsage);
    } else if (equal != std::string::npos && part.find('/') == std::string::npos) {
      std::vector<std::string> known;
      for (const auto& [name, apply] : options) known.push_back(name);
      throw_invalid("csv: there is no option '" + key + "'" + did_you_mean(key, known) + "; csv" + kCsvUsage);
    } else {
      add_files(of_test ? asked.test_files : asked.files, part);
    }
  }
  if (asked.files.empty()) throw_invalid("csv:" + text + " names no file: csv" + kCsvUsage);
  if (!asked.targets.empty() && !asked.class_column.empty())
    throw_invalid("csv: a sample has either a class or targets");
  return asked;
}

}  // namespace troupe
