#pragma once

#include <memory>

#include "models/data/shared/shared_memory.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// Creates memory that the clients of an object store share.
std::shared_ptr<SharedMemory> make_store_memory(std::shared_ptr<StoreClient> store);

}  // namespace troupe
