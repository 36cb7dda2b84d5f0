#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

inline constexpr const char* kCsvUsage = ":FILE[,test=FILE][,target=COLUMN|,class=COLUMN][,...]";

/// The value of the option "missing": how to treat missing fields of features. A missing target or class is an error,
/// unless the rule is `skip`.
struct MissingFields {
  /// refuse: a missing field is an error. skip: rows with a missing field are skipped. mean: the mean of the column
  /// replaces a missing number. number: `number` replaces it. trained: the value that replaced it in the training data
  /// (CsvColumn::fill) replaces it. With `mean`, `number` and `trained`, kNoCategory replaces a missing text
  enum class Rule : std::uint8_t { refuse, skip, mean, number, trained };
  Rule rule = Rule::refuse;
  float number = 0;
};

/// The arguments after "csv:" in a data name.
struct CsvArguments {
  std::vector<std::string> files;  ///< files of the training set, with patterns expanded
  std::vector<std::string> test_files;
  std::vector<std::string> targets;  ///< the columns that are targets, by name or by number (from 1)
  std::string class_column;          ///< the column with the class; empty: the user chose none
  std::vector<std::string> ignored;
  std::vector<std::string> text;  ///< columns to be read as categories even if they look like numbers
  MissingFields missing;
  enum class Header : std::uint8_t { unknown, yes, no } header = Header::unknown;
  char separator = 0;        ///< the character between fields; 0: CsvReader detects it
  bool unseen_zero = false;  ///< whether a category that does not occur in the training set becomes zeros; otherwise it
                             ///< is an error
};

/// Parses `text`, the arguments after "csv:" in a data name, and returns them.
/// @throws Error invalid_argument if the arguments are invalid, bad_file if a pattern matches no file.
CsvArguments parse_csv_arguments(const std::string& text);

}  // namespace troupe
