#pragma once

#include "models/data/shared/shared_memory.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Data as bytes that other processes of this machine make the same data of: first a text that says what lies where,
/// then the arrays. Nothing where not all of its sets are a Dataset, whose arrays lie in memory.
SharedMemory::Content pack(const TrainingData& data);

/// Data whose arrays lie in bytes that were packed. @throws Error bad_data where they were not
TrainingData unpack(const SharedBytes& packed);

}  // namespace troupe
