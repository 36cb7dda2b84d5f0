#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/data/batches/batch_pages.hpp"
#include "troupe/batches.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// The memory of a batch. The same memory can be used for several batches, one after another.
class BatchMemory {
 public:
  explicit BatchMemory(Pages pages = Pages::ordinary) : values_(PagesAllocator<float>(pages)) {}

  /// Reads samples from a data source into this memory, and returns them as a batch. The batch is valid until the next
  /// call of `fill` or `prepare`. Moving this object does not invalidate the batch.
  /// @param samples the numbers of the samples in the data source
  /// @param drawn see BatchRequest::drawn
  /// @throws the exceptions of DataSource::fill.
  Batch fill(const DataSource& from, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn = {});
  /// Allocates memory for the samples with these numbers, and returns a request to read them into this memory. The
  /// caller passes the request to DataSource::fill, and then calls `filled`.
  BatchRequest prepare(const DataInfo& info, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn);
  /// Returns the batch, after DataSource::fill has filled the request that `prepare` returned. The batch does not
  /// contain samples that could not be read. Must be called once for each request.
  Batch filled();
  /// Returns the batch that `fill` or `filled` returned last.
  Batch batch() const;

 private:
  void leave_holes_out();

  std::uint64_t content_ = 0;  ///< the value of Batch::content for the current batch
  std::vector<std::int64_t> numbers_;
  SampleFloats values_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
  std::vector<std::uint8_t> holes_;  ///< BatchRequest::holes; empty unless DataInfo::lacks is true
};

}  // namespace troupe
