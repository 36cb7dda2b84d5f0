#pragma once

#include <string>

namespace troupe::cuda {

/// Returns the properties of a device that affect results bit by bit: its name and number of multiprocessors, such as
/// "NVIDIA H100 80GB HBM3-132".
std::string device_kind(int device);

/// Selects a device for the calling thread, and returns CUDA's number of the device.
/// @param asked index of the device among this machine's devices, ordered by PCI id. -1: the index is `place` modulo
/// the number of devices, so that replicas are distributed over all devices
/// @param place number of the replica (ReplicaContext::place)
/// @throws Error unsupported, with the reason, if there is no such device or no driver that supports this program.
int use_device(int asked, int place);

}  // namespace troupe::cuda
