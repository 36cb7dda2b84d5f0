#pragma once

#include <c10/core/Device.h>

#include "troupe/model.hpp"

namespace troupe {

/// Returns the device of libtorch on which a replica computes. For a CUDA device, loads libtorch's library for CUDA if
/// the program is not linked with it, and makes libtorch choose kernels whose results are the same in each run.
/// @throws Error unsupported if this libtorch has no CUDA, or there is no such device
c10::Device torch_device(const ReplicaContext& context);

}  // namespace troupe
