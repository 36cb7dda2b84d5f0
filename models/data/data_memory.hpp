#pragma once

#include <cstddef>

namespace troupe {

/// Bytes of memory that data may take in this process; a machine's where processes share it.
std::size_t data_memory();
/// Sets it for what is loaded from now on. @param bytes 0: half of the memory there is. @param replicas of this
/// machine, which read ahead. @param processes that these are in
void limit_data_memory(std::size_t bytes, int replicas, int processes);

/// Whether a set of so many bytes is to lie in memory: two such sets do.
bool fits_in_data_memory(std::size_t bytes);
/// Bytes of samples that each replica may have read before it is asked for them: 64 MB, on a device 256 MB, or less
/// where there is less.
std::size_t read_ahead_memory(bool on_device = false);
/// Bytes of parts (DataInfo::parts) that this process may hold: 512 MB, or less where there is less.
std::size_t part_memory();

}  // namespace troupe
