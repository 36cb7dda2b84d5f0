#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "troupe/pipeline.hpp"

namespace troupe::data {

/// Calls `use` for all samples, in order, without random transforms. Leaves out samples that could not be read.
void for_each_sample(const DataSource& data, const std::function<void(const SampleView&)>& use);

/// Returns sample `index` of a filled batch.
SampleView sample_of(const BatchRequest& batch, std::size_t index, const DataInfo& info);

/// Returns the numbers of all samples in an order drawn from the seed. For data with classes, samples of a lower class
/// come before samples of a higher class.
std::vector<std::int64_t> by_class(const DataPtr& data, std::uint64_t seed);

}  // namespace troupe::data
