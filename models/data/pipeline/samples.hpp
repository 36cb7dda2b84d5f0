#pragma once

#include <functional>

#include "troupe/pipeline.hpp"

namespace troupe::data {

/// Shows all samples, in order; nothing random is done to them.
void for_each_sample(const DataSource& data, const std::function<void(const SampleView&)>& use);

/// The i-th of a batch that has been filled.
SampleView sample_of(const BatchRequest& batch, std::size_t index, const DataInfo& info);

}  // namespace troupe::data
