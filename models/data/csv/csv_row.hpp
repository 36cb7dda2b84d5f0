#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// Converts the rows of CSV files to numbers, one row at a time. A number becomes a float. A missing number becomes NaN
/// if the mean of its column will replace it later (MissingFields). A text becomes the number of its category.
class CsvRow {
 public:
  /// A function that returns the number of the category `text` of a column, or -1 if the column has no such category.
  /// It may add the category to the column.
  using Find = std::function<std::int32_t(std::size_t column, std::string_view text)>;

  /// @param columns the columns of the rows; must outlive this object
  /// @param asked the options of the data
  /// @param find returns the numbers of categories
  CsvRow(const std::vector<CsvColumn>& columns, const CsvArguments& asked, Find find);

  /// Converts the current row of the reader. Returns false if the row must be skipped, because a field is missing and
  /// the rule for missing fields is `skip`.
  /// @throws Error bad_file if the row is invalid; the message names the file and the line
  bool parse(const CsvReader& reader);

  /// Returns the features of the row that was converted last, in the order of CsvColumn::slot. The number of an unknown
  /// category is -1.
  const std::vector<float>& features() const { return features_; }
  std::vector<float>& features() { return features_; }
  const std::vector<float>& targets() const { return targets_; }
  std::int32_t label() const { return label_; }
  /// Returns, for each column, the number of missing fields in all rows that `parse` has read.
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
