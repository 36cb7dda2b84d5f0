#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/data/arrays/pixel_order.hpp"
#include "models/files/npy.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Labels of samples, or their targets.
struct Answers {
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
};

/// Samples that stay in their file: each is read when it is asked for, to the same floats as if they lay in memory.
/// @param info what is known of them already. @throws Error bad_data naming a target that is not finite; samples with
/// values that are not are found when they are read
std::shared_ptr<const DataSource> array_in_file(std::shared_ptr<const NpyFile> samples, std::optional<PixelOrder> order,
                                                DataInfo info, Answers answers, const std::string& origin);

}  // namespace troupe
