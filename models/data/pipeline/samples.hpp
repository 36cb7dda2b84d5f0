#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "troupe/pipeline.hpp"

namespace troupe::data {

/// Shows all samples, in order; nothing random is done to them.
void for_each_sample(const DataSource& data, const std::function<void(const SampleView&)>& use);

/// The i-th of a batch that has been filled.
SampleView sample_of(const BatchRequest& batch, std::size_t index, const DataInfo& info);

/// All samples in an order drawn from the seed; of data with classes one class after the other.
std::vector<std::int64_t> by_class(const DataPtr& data, std::uint64_t seed);

}  // namespace troupe::data
