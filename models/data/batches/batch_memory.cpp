#include "models/data/batches/batch_memory.hpp"

#include <algorithm>
#include <atomic>

namespace troupe {
namespace {

/// Copies element number `from` to the place of element number `to`, which must be before it. Each element consists of
/// `each` values.
template <class T>
void move_element(std::vector<T>& elements, std::size_t each, std::size_t from, std::size_t to) {
  const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(from * each);
  std::copy_n(begin, each, elements.begin() + static_cast<std::ptrdiff_t>(to * each));
}

}  // namespace

Batch BatchMemory::fill(const DataSource& from, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn) {
  from.fill(prepare(from.info(), samples, drawn));
  return filled();
}

BatchRequest BatchMemory::prepare(const DataInfo& info, std::span<const std::int64_t> samples,
                                  std::optional<DrawnFor> drawn) {
  static std::atomic<std::uint64_t> newest = 0;
  content_ = ++newest;
  numbers_.assign(samples.begin(), samples.end());
  values_.resize(samples.size() * static_cast<std::size_t>(info.sample_size()));
  labels_.resize(info.num_labels(samples.size()));
  targets_.resize(samples.size() * static_cast<std::size_t>(info.num_targets));
  holes_.resize(info.lacks ? samples.size() : 0);
  return {
      .samples = numbers_, .values = values_, .labels = labels_, .targets = targets_, .drawn = drawn, .holes = holes_};
}

Batch BatchMemory::filled() {
  if (std::ranges::any_of(holes_, [](std::uint8_t hole) { return hole != 0; })) leave_holes_out();
  return batch();
}

/// Removes the samples that could not be read (see BatchRequest::holes) from all arrays of the batch. The other samples
/// keep their order.
void BatchMemory::leave_holes_out() {
  const std::size_t count = numbers_.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (holes_[i] != 0) continue;
    move_element(numbers_, 1, i, kept);
    move_element(labels_, labels_.size() / count, i, kept);
    move_element(targets_, targets_.size() / count, i, kept);
    const std::size_t each = values_.size() / count;
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * each), each,
                values_.begin() + static_cast<std::ptrdiff_t>(kept * each));
    ++kept;
  }
  values_.resize(values_.size() / count * kept);
  labels_.resize(labels_.size() / count * kept);
  targets_.resize(targets_.size() / count * kept);
  numbers_.resize(kept);
}

Batch BatchMemory::batch() const {
  const auto left_out = holes_.empty() ? 0 : std::ssize(holes_) - std::ssize(numbers_);
  return {std::ssize(numbers_), values_, labels_, targets_, numbers_, left_out, content_};
}

}  // namespace troupe
