#pragma once

#include <string>

namespace troupe::cuda {

/// Returns the properties of a device on which results depend bit by bit: "NVIDIA H100 80GB HBM3-132", with the number
/// of multiprocessors.
std::string device_kind(int device);

/// Selects a device for the calling thread by its index among this machine's devices, which are ordered by PCI id.
/// Returns CUDA's number of the device.
/// @param asked the index; -1: distribute replicas over all devices in turn, where this is replica number `place`
/// @throws Error unsupported, with the reason, if there is no such device or no driver that supports this program.
int use_device(int asked, int place);

}  // namespace troupe::cuda
