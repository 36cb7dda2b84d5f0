#include "models/data/csv/csv_samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace troupe {

CsvSamples::CsvSamples(const std::vector<CsvColumn>& columns, std::vector<float> means) : means_(std::move(means)) {
  for (const CsvColumn* const column : features_of(columns)) {
    widths_.push_back(column->is_text ? column->width() : 0);
    sample_size_ += column->width();
  }
}

void CsvSamples::write(std::span<const float> row, std::span<float> to) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    if (widths_[i] == 0) {
      to[at++] = std::isnan(row[i]) ? means_[i] : row[i];
    } else {
      if (row[i] >= 0) to[at + static_cast<std::size_t>(row[i])] = 1;
      at += widths_[i];
    }
  }
}

std::vector<float> CsvSamples::samples(std::vector<float> rows) const {
  const bool numbers = std::ranges::all_of(widths_, [](std::size_t width) { return width == 0; });
  if (numbers && std::ranges::none_of(rows, [](float value) { return std::isnan(value); })) return rows;
  const std::size_t count = rows.size() / row_size();
  std::vector<float> samples(count * sample_size_);
  for (std::size_t i = 0; i < count; ++i)
    write(std::span(rows).subspan(i * row_size(), row_size()),
          std::span(samples).subspan(i * sample_size_, sample_size_));
  return samples;
}

}  // namespace troupe
