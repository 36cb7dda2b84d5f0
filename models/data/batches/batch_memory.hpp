#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/data/batches/batch.hpp"
#include "models/data/batches/batch_pages.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// The memory of the samples of a batch.
class BatchMemory {
 public:
  explicit BatchMemory(Pages pages = Pages::ordinary) : values_(PagesAllocator<float>(pages)) {}

  /// Lets the source write these samples here. The batch is valid until the next call; moving this object does not
  /// invalidate it.
  /// @throws the exceptions of DataSource::fill.
  Batch fill(const DataSource& from, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn = {});
  /// Allocates memory for the samples. The caller fills it.
  BatchRequest prepare(const DataInfo& info, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Returns the prepared batch after it has been filled, without its holes. Call it once.
  Batch filled();
  /// Returns the last batch.
  Batch batch() const;

 private:
  void leave_holes_out();

  std::uint64_t content_ = 0;  ///< Batch::content
  std::vector<std::int64_t> numbers_;
  SampleFloats values_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
  std::vector<std::uint8_t> holes_;  ///< one per requested sample, for data that may lack samples
};

}  // namespace troupe
