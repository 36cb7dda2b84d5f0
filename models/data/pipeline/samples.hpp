#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "troupe/pipeline.hpp"

namespace troupe::data {

/// Calls `use` for each sample of the data, in order. Random transforms are not applied. Samples that cannot be read
/// are left out.
void for_each_sample(const DataSource& data, const std::function<void(const SampleView&)>& use);

/// Returns a view of sample number `index` of a batch that DataSource::fill has filled.
SampleView sample_of(const BatchRequest& batch, std::size_t index, const DataInfo& info);

/// Returns the numbers of all samples in a random order that depends on `seed`. If the data has classes, the result
/// contains first all samples of class 0, then all of class 1, and so on; the order within a class is random.
std::vector<std::int64_t> by_class(const DataPtr& data, std::uint64_t seed);

}  // namespace troupe::data
