#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// A row of a file as numbers: of a column of numbers the number, or NaN where the mean is to take the place of one
/// that is missing; of one of text the number of its category.
class CsvRow {
 public:
  /// The number of a column's category; -1 for one that it has not.
  using Find = std::function<std::int32_t(std::size_t column, std::string_view text)>;

  /// @param columns outlives it
  CsvRow(const std::vector<CsvColumn>& columns, const CsvArguments& asked, Find find);

  /// Takes the reader's row; false where it is to be left out. @throws Error bad_file that names file and line
  bool parse(const CsvReader& reader);

  /// In the order of their slots; of a category that is not known, -1.
  const std::vector<float>& features() const { return features_; }
  std::vector<float>& features() { return features_; }
  const std::vector<float>& targets() const { return targets_; }
  std::int32_t label() const { return label_; }
  /// Fields of each column that were missing, in all rows.
  const std::vector<std::int64_t>& missing() const { return missed_; }

 private:
  bool take_number(const CsvReader& reader, std::size_t index);
  bool take_text(const CsvReader& reader, std::size_t index);

  const std::vector<CsvColumn>& columns_;
  MissingFields missing_;
  bool unseen_zero_;
  Find find_;
  std::vector<float> features_;
  std::vector<float> targets_;
  std::int32_t label_ = 0;
  std::vector<std::int64_t> missed_;
};

}  // namespace troupe
