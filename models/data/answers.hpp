#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// The maximum number of classes of data for which Troupe determines the number of classes from the samples, for
/// example from the largest label.
inline constexpr std::int32_t kMostClasses = 100'000;

[[noreturn]] inline void throw_bad_data(const std::string& message) { throw Error(ErrorCode::bad_data, message); }

/// Checks that all labels are in [0, num_classes).
/// @param number a function that returns, for an index i, the number of the sample with the label `labels[i]`, for the
/// error message
/// @throws Error bad_data if a label is invalid; the message names the first sample with an invalid label.
template <class Number>
void check_labels(std::span<const std::int32_t> labels, int num_classes, const Number& number) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && labels[i] < num_classes) continue;
    throw_bad_data("label " + std::to_string(labels[i]) + " of sample " + std::to_string(number(i)) +
                   " is not in [0, " + std::to_string(num_classes) + ")");
  }
}

/// Checks that all labels of positions (DataInfo::labels_per_sample) are in [0, num_classes) or kIgnoredLabel.
/// @param number a function that returns the number of the i-th sample, for the error message
/// @throws Error bad_data if a label is invalid; the message names sample and position.
template <class Number>
void check_position_labels(std::span<const std::int32_t> labels, const DataInfo& info, const Number& number) {
  const auto each = static_cast<std::size_t>(info.labels_per_sample);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if ((labels[i] >= 0 && labels[i] < info.num_classes) || labels[i] == kIgnoredLabel) continue;
    throw_bad_data("label " + std::to_string(labels[i]) + " at position " + std::to_string(i % each) + " of sample " +
                   std::to_string(number(i / each)) + " is neither in [0, " + std::to_string(info.num_classes) +
                   ") nor " + std::to_string(kIgnoredLabel));
  }
}

/// Checks that all values are tokens (DataInfo::vocabulary).
/// @param number as in `check_position_labels`
/// @throws Error bad_data if a value is no token; the message names sample and position.
template <class Number>
void check_tokens(std::span<const float> values, const DataInfo& info, const Number& number) {
  const auto each = static_cast<std::size_t>(info.sample_size());
  const auto end = static_cast<float>(info.vocabulary);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] < end && std::trunc(values[i]) == values[i]) continue;
    const bool whole = std::trunc(values[i]) == values[i] && std::abs(values[i]) < 1e9F;
    throw_bad_data("token " +
                   (whole ? std::to_string(static_cast<std::int64_t>(values[i])) : std::to_string(values[i])) +
                   " at position " + std::to_string(i % each) + " of sample " + std::to_string(number(i / each)) +
                   " is not in the vocabulary of " + std::to_string(info.vocabulary) + " tokens");
  }
}

/// Checks that all targets are finite.
/// @param targets the targets of all samples, one sample after the other
/// @param each the number of targets of each sample
/// @param number a function that returns the number of the i-th sample, for the error message
/// @throws Error bad_data if a target is not finite; the message names the first sample with such a target.
template <class Number>
void check_targets(std::span<const float> targets, std::int64_t each, const Number& number) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isfinite(targets[i])) continue;
    throw_bad_data("target " + std::to_string(targets[i]) + " of sample " +
                   std::to_string(number(i / static_cast<std::size_t>(each))) + " is not finite");
  }
}

}  // namespace troupe
