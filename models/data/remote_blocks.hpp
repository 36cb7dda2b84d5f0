#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "runtime/files/byte_source.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// The data of a part (DataInfo::parts) of data on a server, in bytes. Parts are so large that requests take little of
/// the time, and so small that a shard can have several of them in memory.
inline constexpr std::uint64_t kRemotePart = std::uint64_t{16} << 20;

/// A shard shuffles the samples of several parts together, as long as these parts have at most this number of bytes. A
/// single larger part is shuffled on its own. The limit is small, because a process may have several shards, and each
/// needs its parts in memory.
inline constexpr std::uint64_t kMostBytesMixed = std::uint64_t{64} << 20;

/// Opens a file, or an object on a server if the name is a URL. The object is read in blocks of kRemotePart bytes
/// (ByteSource::block_size), which all objects of the process together keep in memory, up to `part_memory()` bytes.
/// Opening the same object again, while it is in use, takes no time.
/// @throws Error as open_bytes and DiskCache::of_environment
std::shared_ptr<const ByteSource> open_data(const std::string& name);

/// Adds the parts of samples in a source with blocks to DataInfo::parts: a part begins with the first sample that
/// begins in a block. Without blocks, all samples are one part; does nothing if there are no parts before.
/// @param first the number of the first sample in the source
/// @param count the number of samples in the source
/// @param offset_of returns the offset in the source of the sample with a number; ascending
template <class OffsetOf>
void add_parts(DataInfo& info, const ByteSource& source, std::int64_t first, std::int64_t count,
               const OffsetOf& offset_of) {
  const std::uint64_t size = source.block_size();
  if (count == 0 || (size == 0 && info.parts.empty())) return;
  std::uint64_t last = UINT64_MAX;
  for (std::int64_t sample = first; sample < first + count; ++sample) {
    const std::uint64_t block = size == 0 ? 0 : offset_of(sample) / size;
    if (std::exchange(last, block) != block) info.parts.push_back(sample);
  }
  if (size > 0) info.held_parts = static_cast<int>(std::max<std::uint64_t>(1, kMostBytesMixed / size));
}

}  // namespace troupe
