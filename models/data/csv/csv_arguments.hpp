#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

inline constexpr const char* kCsvUsage = ":FILE[,test=FILE][,target=COLUMN|,class=COLUMN][,...]";

/// What is done about a field that is missing.
struct MissingFields {
  /// trained: what the network's training set did, CsvColumn::fill or a category of its own
  enum class Rule : std::uint8_t { refuse, skip, mean, number, trained };
  Rule rule = Rule::refuse;
  float number = 0;
};

/// What stands behind "csv:".
struct CsvArguments {
  std::vector<std::string> files;  ///< of the training set, patterns resolved
  std::vector<std::string> test_files;
  std::vector<std::string> targets;  ///< columns of numbers, by name or number from 1 on
  std::string class_column;          ///< empty: none
  std::vector<std::string> ignored;
  std::vector<std::string> text;  ///< columns of categories, though they look like numbers
  MissingFields missing;
  enum class Header : std::uint8_t { unknown, yes, no } header = Header::unknown;
  char separator = 0;        ///< 0: see CsvReader
  bool unseen_zero = false;  ///< a category that the training set did not have becomes zeros, rather than an error
};

/// @throws Error invalid_argument that says what is wrong, bad_file for a pattern that no file has.
CsvArguments parse_csv_arguments(const std::string& text);

}  // namespace troupe
