#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/data/batches/batch.hpp"
#include "models/data/batches/batch_pages.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// The memory of a batch. It can be used for one batch after another.
class BatchMemory {
 public:
  explicit BatchMemory(Pages pages = Pages::ordinary) : values_(PagesAllocator<float>(pages)) {}

  /// Reads samples from a source and returns them as a batch. The batch is valid until the next call of `fill` or
  /// `prepare`. Moving this object does not invalidate the batch.
  /// @param samples the numbers of the samples
  /// @param drawn see BatchRequest::drawn
  /// @throws the exceptions of DataSource::fill.
  Batch fill(const DataSource& from, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn = {});
  /// Allocates memory for these samples, and returns a request with this memory. The caller passes the request to
  /// DataSource::fill and then calls `filled`.
  BatchRequest prepare(const DataInfo& info, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Returns the batch after the request of `prepare` has been filled. Leaves out samples that could not be read. Must
  /// be called once for each request.
  Batch filled();
  /// Returns the last batch again.
  Batch batch() const;

 private:
  void leave_holes_out();

  std::uint64_t content_ = 0;  ///< Batch::content
  std::vector<std::int64_t> numbers_;
  SampleFloats values_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
  std::vector<std::uint8_t> holes_;  ///< BatchRequest::holes; empty unless DataInfo::lacks is true
};

}  // namespace troupe
