#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "troupe/data.hpp"

namespace troupe::testing {

/// Copies of the samples of a source.
struct Samples {
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
};

inline Samples read_samples(const DataSource& source, const std::vector<std::int64_t>& numbers) {
  const DataInfo& info = source.info();
  Samples read{std::vector<float>(numbers.size() * static_cast<std::size_t>(info.sample_size())),
               std::vector<std::int32_t>(info.num_labels(numbers.size())),
               std::vector<float>(numbers.size() * static_cast<std::size_t>(info.num_targets))};
  source.fill({.samples = numbers, .values = read.values, .labels = read.labels, .targets = read.targets});
  return read;
}

inline Samples read_all(const DataSource& source) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(source.info().num_samples));
  std::iota(numbers.begin(), numbers.end(), 0);
  return read_samples(source, numbers);
}

}  // namespace troupe::testing
