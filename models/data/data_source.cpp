#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "models/data/answers.hpp"
#include "runtime/invalid.hpp"
#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

void check_shape(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) {
    if (length <= 0) throw_bad_data("the shape of a sample has a length of " + std::to_string(length));
    if (size > std::numeric_limits<std::int64_t>::max() / length) throw_bad_data("the shape of a sample is too large");
    size *= length;
  }
}

void check_names(const char* what, const std::vector<std::string>& names, std::int64_t count) {
  if (names.empty() || std::ssize(names) == count) return;
  throw_bad_data(std::to_string(names.size()) + " names for " + std::to_string(count) + " " + what);
}

void check_parts(const DataInfo& info) {
  const std::vector<std::int64_t>& parts = info.parts;
  if (parts.empty()) return;
  const bool ascend = std::ranges::adjacent_find(parts, std::greater_equal<>()) == parts.end();
  if (parts.front() != 0 || !ascend || parts.back() >= info.num_samples)
    throw_bad_data("parts must start with sample 0 and be in ascending order");
}

DataInfo checked(DataInfo info) {
  if (info.num_samples <= 0) throw_bad_data("the data has no samples");
  check_shape(info.shape);
  if (info.num_classes < 0 || info.num_targets < 0 || (info.num_classes > 0 && info.num_targets > 0)) {
    throw_bad_data("a sample has either a class or targets, but there are " + std::to_string(info.num_classes) +
                   " classes and " + std::to_string(info.num_targets) + " targets");
  }
  if (info.labels_per_sample > 1 && info.num_classes == 0) throw_bad_data("only data with classes has several labels");
  if (info.labels_per_sample < 1) throw_bad_data("each sample has at least one label");
  if (info.vocabulary < 0 || info.vocabulary > kMostTokens)
    throw_bad_data("a vocabulary of " + std::to_string(info.vocabulary) + " tokens is impossible; the limit is " +
                   std::to_string(kMostTokens));
  check_parts(info);
  check_names("classes", info.class_names, info.num_classes);
  check_names("values", info.value_names, info.sample_size());
  check_names("targets", info.target_names, info.num_targets);
  return info;
}

void check_room(const char* what, std::size_t room, std::size_t samples, std::int64_t each) {
  const auto length = static_cast<std::size_t>(each);
  if (length == 0 ? room == 0 : room % length == 0 && room / length == samples) return;
  throw_invalid("the buffer has room for " + std::to_string(room) + " " + what + "; expected " +
                std::to_string(samples) + " samples with " + std::to_string(each) + " each");
}

void check_request(const BatchRequest& request, const DataInfo& info) {
  for (const std::int64_t sample : request.samples) {
    if (sample >= 0 && sample < info.num_samples) continue;
    throw_invalid("there is no sample " + std::to_string(sample) + "; the number of samples is " +
                  std::to_string(info.num_samples));
  }
  check_room("values", request.values.size(), request.samples.size(), info.sample_size());
  check_room("labels", request.labels.size(), request.samples.size(),
             info.num_classes > 0 ? info.labels_per_sample : 0);
  check_room("targets", request.targets.size(), request.samples.size(), info.num_targets);
  if (!request.holes.empty()) check_room("holes", request.holes.size(), request.samples.size(), 1);
}

/// The value of labels that a source has not set.
constexpr std::int32_t kUnsetLabel = -1;

/// Sets the labels and targets of all samples that could not be read (BatchRequest::holes) to 0. Otherwise the checks
/// of labels and targets, which follow, would reject the batch.
void clear_holes(const BatchRequest& request, const DataInfo& info) {
  const auto targets = static_cast<std::size_t>(info.num_targets);
  for (std::size_t i = 0; i < request.holes.size(); ++i) {
    if (request.holes[i] == 0) continue;
    const std::size_t labels = info.num_labels(1);
    std::ranges::fill(request.labels.subspan(i * labels, labels), 0);
    std::ranges::fill(request.targets.subspan(i * targets, targets), 0.0F);
  }
}

}  // namespace

std::int64_t DataInfo::sample_size() const {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return size;
}

std::size_t DataInfo::num_labels(std::size_t samples) const {
  return num_classes > 0 ? samples * static_cast<std::size_t>(labels_per_sample) : 0;
}

DataSource::DataSource(DataInfo info) : info_(checked(std::move(info))) {}

void DataSource::fill(const BatchRequest& request) const {
  check_request(request, info_);
  if (request.samples.empty()) return;
  // Sets all values to 0, so that `read` need not write zeros. Sets labels and targets to invalid values, so that the
  // checks below detect labels and targets that `read` does not write.
  std::ranges::fill(request.values, 0.0F);
  std::ranges::fill(request.labels, kUnsetLabel);
  std::ranges::fill(request.targets, std::numeric_limits<float>::quiet_NaN());
  std::ranges::fill(request.holes, std::uint8_t{0});
  read(request);
  clear_holes(request, info_);
  const auto number = [&](std::size_t i) { return request.samples[i]; };
  if (info_.labels_per_sample > 1)
    check_position_labels(request.labels, info_, number);
  else
    check_labels(request.labels, info_.num_classes, number);
  if (info_.vocabulary > 0) check_tokens(request.values, info_, number);
  check_targets(request.targets, info_.num_targets, number);
}

}  // namespace troupe
