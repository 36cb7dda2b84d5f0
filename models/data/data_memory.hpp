#pragma once

#include <cstddef>

namespace troupe {

/// Returns the maximum number of bytes of data (samples, labels and targets) in memory. If the processes of this
/// machine share data, the limit applies to all processes together, otherwise to each process.
std::size_t data_memory();
/// Sets the limits for the memory of data that is loaded from now on.
/// @param bytes the value that `data_memory` returns; 0: half of the memory of the machine or container
/// @param replicas the number of replicas on this machine, which share the memory for reading ahead
/// @param processes the number of processes with these replicas, which share the memory for parts (DataInfo::parts)
void limit_data_memory(std::size_t bytes, int replicas, int processes);

/// Returns whether a set of `bytes` bytes is kept in memory: whether it takes at most half of `data_memory()`.
bool fits_in_data_memory(std::size_t bytes);
/// Returns the number of bytes of samples that each replica may read in advance. It is 64 MB, or 256 MB for a replica
/// on an accelerator; or the replica's share of a quarter of `data_memory()`, whichever is less.
std::size_t read_ahead_memory(bool on_device = false);
/// Returns the number of replicas of this process.
std::size_t replicas_of_process();
/// Returns the number of bytes of parts (DataInfo::parts) that this process may keep in memory. It is 512 MB or
/// 128 MB for each of its replicas, whichever is more, but at most the process's share of half of `data_memory()`.
std::size_t part_memory();

}  // namespace troupe
