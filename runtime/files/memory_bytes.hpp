#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/files/byte_source.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {

/// The bytes of a file or an object, in memory.
class MemoryBytes final : public ByteSource {
 public:
  /// @param path for error messages
  /// @param modified the value of ByteSource::modified of the source of these bytes
  MemoryBytes(std::string path, std::int64_t modified, std::vector<std::byte> bytes)
      : path_(std::move(path)), modified_(modified), bytes_(std::move(bytes)) {}

  const std::string& path() const override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::int64_t modified() const override { return modified_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) throw_bad_file(path_, "truncated");
    std::ranges::copy(std::span(bytes_).subspan(offset, out.size()), out.begin());
  }
  void check_unchanged() const override {}

 private:
  std::string path_;
  std::int64_t modified_;
  std::vector<std::byte> bytes_;
};

}  // namespace troupe
