#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// A row of a file as numbers. A column of numbers gives its number, or NaN if the mean replaces a missing number. A
/// text column gives the number of its category.
class CsvRow {
 public:
  /// Returns the number of a column's category; -1 for an unknown one.
  using Find = std::function<std::int32_t(std::size_t column, std::string_view text)>;

  /// @param columns must outlive this object
  CsvRow(const std::vector<CsvColumn>& columns, const CsvArguments& asked, Find find);

  /// Parses the reader's row. Returns false if the row must be skipped. @throws Error bad_file that names the file and
  /// the line
  bool parse(const CsvReader& reader);

  /// The features in the order of their slots; -1 for an unknown category.
  const std::vector<float>& features() const { return features_; }
  std::vector<float>& features() { return features_; }
  const std::vector<float>& targets() const { return targets_; }
  std::int32_t label() const { return label_; }
  /// The number of missing fields of each column, in all rows.
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
