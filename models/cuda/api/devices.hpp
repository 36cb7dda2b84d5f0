#pragma once

#include <string>

namespace troupe::cuda {

/// Names what a device's bits depend on: "NVIDIA H100 80GB HBM3-132", with the number of its multiprocessors.
std::string device_kind(int device);

/// Makes the calling thread use a device, by its place among those of this machine, which are ordered by PCI id.
/// Returns CUDA's number of it.
/// @param asked -1: replicas are dealt to all devices in turn, this one being number `place` of them
/// @throws Error unsupported where there is no such device, or no driver that serves this program, saying which.
int use_device(int asked, int place);

}  // namespace troupe::cuda
