#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "models/data/tar/tar_sample.hpp"

namespace troupe {

/// The samples of an archive, in order. Stores a line of text for each sample, as the index of the archive does. A line
/// takes a fifth of the memory of a TarSample.
class TarSampleList {
 public:
  using Use = std::function<void(const TarSample& sample)>;

  void add(const TarSample& sample);
  std::uint64_t size() const { return size_; }
  /// Calls `use` for each sample.
  void for_each(const Use& use) const;

  /// Returns the lines: the fields of a line are those of the member with the values, the number of the answer's kind,
  /// and the label or the fields of the member with the targets. The fields of a member are its name, offset and size.
  const std::string& lines() const { return lines_; }
  /// Returns the samples in `lines`, the result of `lines()`. Calls `check` for each one. Returns nothing if a line is
  /// not valid.
  static std::optional<TarSampleList> from_lines(std::string_view lines, const Use& check);

  bool operator==(const TarSampleList&) const = default;

 private:
  std::string lines_;
  std::uint64_t size_ = 0;
};

}  // namespace troupe
