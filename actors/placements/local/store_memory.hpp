#pragma once

#include <memory>

#include "models/data/shared/shared_memory.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Returns an implementation of SharedMemory that stores data in the object store of `store`, so that all processes of
/// the machine share one copy.
std::shared_ptr<SharedMemory> make_store_memory(std::shared_ptr<StoreClient> store);

}  // namespace troupe
