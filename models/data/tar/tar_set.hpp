#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/data/tar/tar_parts.hpp"

namespace troupe {

/// The samples of all archives of a set, one archive after the other.
struct TarSet {
  std::vector<TarPart> parts;
  std::vector<std::int64_t> firsts;  ///< first sample of each part
  std::vector<TarMember> values;     ///< of each sample
  std::vector<std::int32_t> labels;  ///< of each sample; either labels or targets
  std::vector<TarMember> targets;

  std::size_t part_of(std::size_t sample) const;
  /// Returns the place of a member, for errors.
  std::string place(const TarMember& member, std::size_t sample) const {
    return place_of(parts[part_of(sample)].name, member);
  }
};

/// The answers of all samples: classes (by number or name) or targets.
struct TarClasses {
  TarAnswer kind = TarAnswer::none;  ///< none: determined by the first sample
  std::int32_t count = 0;            ///< number of classes: the largest class number + 1
  std::vector<std::string> names = {};
};

/// Open a set's archives. The training set must be opened first; it defines the classes. A test set must not contain
/// other class names.
/// @throws Error bad_file that names the archive and the member; the exceptions of TarParts::open
TarSet open_training_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);
TarSet open_test_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);

}  // namespace troupe
