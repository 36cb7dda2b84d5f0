#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/data/batches/batch.hpp"
#include "models/data/batches/batch_pages.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Where the samples of a batch lie.
class BatchMemory {
 public:
  explicit BatchMemory(Pages pages = Pages::ordinary) : values_(PagesAllocator<float>(pages)) {}

  /// Has the source write these samples here. The batch is valid until the next one; moving the memory leaves it so.
  /// @throws what DataSource::fill does.
  Batch fill(const DataSource& from, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn = {});
  /// Makes room for them, and leaves the filling to others.
  BatchRequest prepare(const DataInfo& info, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// What was prepared, when it has been filled: without its holes. To be called once.
  Batch filled();
  /// The one written last.
  Batch batch() const;

 private:
  void leave_holes_out();

  std::uint64_t content_ = 0;  ///< Batch::content
  std::vector<std::int64_t> numbers_;
  SampleFloats values_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
  std::vector<std::uint8_t> holes_;  ///< one a sample that was asked for, where data lacks some
};

}  // namespace troupe
