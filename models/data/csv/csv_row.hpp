#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// Converts one row of a file after another to numbers. A number becomes a float; a missing number becomes NaN if the
/// mean is to replace it. A text becomes the number of its category.
class CsvRow {
 public:
  /// Returns the number of the category `text` of a column; -1 if the column has no such category.
  using Find = std::function<std::int32_t(std::size_t column, std::string_view text)>;

  /// @param columns must outlive this object
  /// @param find returns the number of a category
  CsvRow(const std::vector<CsvColumn>& columns, const CsvArguments& asked, Find find);

  /// Converts the current row of the reader. Returns false if the row must be skipped, because a field is missing.
  /// @throws Error bad_file that names the file and the line
  bool parse(const CsvReader& reader);

  /// Returns the features of the row in the order of CsvColumn::slot. An unknown category is -1.
  const std::vector<float>& features() const { return features_; }
  std::vector<float>& features() { return features_; }
  const std::vector<float>& targets() const { return targets_; }
  std::int32_t label() const { return label_; }
  /// Returns the number of missing fields of each column in all rows that were converted.
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
