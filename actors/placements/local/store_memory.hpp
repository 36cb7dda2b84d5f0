#pragma once

#include <memory>

#include "models/data/shared/shared_memory.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Returns an implementation of SharedMemory with which the processes of a machine share data in an object store.
std::shared_ptr<SharedMemory> make_store_memory(std::shared_ptr<StoreClient> store);

}  // namespace troupe
