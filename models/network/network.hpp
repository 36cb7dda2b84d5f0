#pragma once

#include <cstdint>
#include <memory>

#include "troupe/batches.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

/// Returns a model that trains a network, like the public models::network, but with batches from `source`. `batch_size`
/// is the usual size of a batch, for which memory layouts are chosen.
std::unique_ptr<Model> network(const Graph& graph, std::unique_ptr<BatchSource> source, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss = nullptr, std::vector<Metric> metrics = {},
                               std::int64_t micro_batch = 0);

}  // namespace troupe::models
