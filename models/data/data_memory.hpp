#pragma once

#include <cstddef>

namespace troupe {

/// Returns the number of bytes that data may occupy in this process; if processes share the data, on this machine.
std::size_t data_memory();
/// Sets the limit for data that is loaded from now on. @param bytes 0: half of the available memory
/// @param replicas the replicas of this machine, which read ahead. @param processes the processes that contain them
void limit_data_memory(std::size_t bytes, int replicas, int processes);

/// True if a set of this size is kept in memory, which requires that two such sets fit.
bool fits_in_data_memory(std::size_t bytes);
/// Returns the number of bytes of samples that each replica may read in advance: 64 MB, on a device 256 MB, or less if
/// memory is short.
std::size_t read_ahead_memory(bool on_device = false);
/// Returns the number of bytes of parts (DataInfo::parts) that this process may hold: 512 MB, or less if memory is
/// short.
std::size_t part_memory();

}  // namespace troupe
