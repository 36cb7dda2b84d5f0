#pragma once

#include "models/data/shared/shared_memory.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Packs data into bytes from which other processes of this machine can recreate it: first a text that describes the
/// layout, then the arrays. Returns nothing unless all sets are Datasets, whose arrays are in memory.
SharedMemory::Content pack(const TrainingData& data);

/// Returns the data whose arrays are in packed bytes. @throws Error bad_data if the bytes are not valid packed data
TrainingData unpack(const SharedBytes& packed);

}  // namespace troupe
