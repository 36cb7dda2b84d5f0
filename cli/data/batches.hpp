#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "troupe/pipeline.hpp"

namespace troupe::cli {

/// Hands out `count` samples, at most 2^31 and no more than there are, evenly over the set, in their order; reads some
/// tens of megabytes of them at a time, with all cores where samples take time. Returns how many could not be read,
/// where the data leaves such out.
/// @throws Error what reading throws
std::int64_t pass_over(const DataSource& set, std::int64_t count, const std::optional<DrawnFor>& drawn,
                       const std::function<void(const data::SampleView&)>& see);

}  // namespace troupe::cli
