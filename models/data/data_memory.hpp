#pragma once

#include <cstddef>

namespace troupe {

/// Returns the maximum number of bytes of data in memory. If the processes of this machine share data, the limit
/// applies to all of them together, otherwise to each process.
std::size_t data_memory();
/// Sets the limit for data that is loaded from now on.
/// @param bytes 0: half of the memory of the machine or container
/// @param replicas number of replicas on this machine, which share the memory for reading ahead
/// @param processes number of processes with these replicas, which share the memory for parts (DataInfo::parts)
void limit_data_memory(std::size_t bytes, int replicas, int processes);

/// Returns whether a set of this size is kept in memory: if it takes at most half of `data_memory()`.
bool fits_in_data_memory(std::size_t bytes);
/// Returns the number of bytes of samples that each replica may read in advance: 64 MB, or 256 MB on a device. All
/// replicas together use at most a quarter of `data_memory()`, so the result may be smaller.
std::size_t read_ahead_memory(bool on_device = false);
/// Returns the number of bytes of parts (DataInfo::parts) that this process may hold: 512 MB. All processes together
/// use at most half of `data_memory()`, so the result may be smaller.
std::size_t part_memory();

}  // namespace troupe
