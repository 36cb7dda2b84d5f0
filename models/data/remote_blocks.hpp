#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/data_memory.hpp"
#include "runtime/files/byte_source.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// The number of bytes of a part (DataInfo::parts) of data on a server. Parts are so large that requests take little of
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
/// Opens several files, and those on servers at the same time.
std::vector<std::shared_ptr<const ByteSource>> open_data(const std::vector<std::string>& names);

/// Returns the same source with other blocks: rows never cross the end of a block. Returns a file unchanged.
/// @param begin the offset of the first row
/// @param row the size of a row in bytes
std::shared_ptr<const ByteSource> with_blocks_of_rows(const std::shared_ptr<const ByteSource>& source,
                                                      std::uint64_t begin, std::uint64_t row);

/// Logs a warning, once for each size, if a replica's share of `bytes`, the memory of this process for parts of data on
/// servers, is too small for the parts that it needs at the same time.
void warn_of_little_part_memory(std::size_t bytes);

/// Adds the parts of samples in a source to DataInfo::parts: a part begins with the first sample that begins in a
/// block. The samples of a source without blocks are one part.
/// @param first the number of the first sample in the source
/// @param count the number of samples in the source
/// @param offset_of returns the offset in the source of the sample with a number; ascending
template <class OffsetOf>
void add_parts(DataInfo& info, const ByteSource& source, std::int64_t first, std::int64_t count,
               const OffsetOf& offset_of) {
  std::uint64_t last = 0;
  for (std::int64_t sample = first; sample < first + count; ++sample)
    if (const std::uint64_t end = source.block_end(offset_of(sample)); std::exchange(last, end) != end)
      info.parts.push_back(sample);
  if (source.block_size() == 0) return;
  info.held_parts = static_cast<int>(std::max<std::uint64_t>(1, kMostBytesMixed / source.block_size()));
  if (source.size() > source.block_size()) warn_of_little_part_memory(part_memory());
}

}  // namespace troupe
