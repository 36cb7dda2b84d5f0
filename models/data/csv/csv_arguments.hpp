#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

inline constexpr const char* kCsvUsage = ":FILE[,test=FILE][,target=COLUMN|,class=COLUMN][,...]";

/// The rule for missing fields of features. A missing target or class is an error, unless the rule is `skip`.
struct MissingFields {
  /// refuse: a missing field is an error. skip: its row is skipped. mean, number: the column's mean or `number`
  /// replaces a missing number. trained: the value of the training data (CsvColumn::fill) replaces it. With the last
  /// three rules, kNoCategory replaces a missing text
  enum class Rule : std::uint8_t { refuse, skip, mean, number, trained };
  Rule rule = Rule::refuse;
  float number = 0;
};

/// The arguments behind "csv:".
struct CsvArguments {
  std::vector<std::string> files;  ///< of the training set, with patterns expanded
  std::vector<std::string> test_files;
  std::vector<std::string> targets;  ///< columns, by name or by number (from 1)
  std::string class_column;          ///< empty: none
  std::vector<std::string> ignored;
  std::vector<std::string> text;  ///< columns to be read as categories even if they look like numbers
  MissingFields missing;
  enum class Header : std::uint8_t { unknown, yes, no } header = Header::unknown;
  char separator = 0;        ///< 0: CsvReader detects it
  bool unseen_zero = false;  ///< whether a category that the training set does not have becomes zeros instead of
                             ///< being an error
};

/// Parses the arguments after "csv:".
/// @throws Error invalid_argument that describes the mistake, bad_file for a pattern that matches no file.
CsvArguments parse_csv_arguments(const std::string& text);

}  // namespace troupe
