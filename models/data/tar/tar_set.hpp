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
  std::vector<TarMember> values;     ///< of each sample: its image or array
  std::vector<std::int32_t> labels;  ///< of each sample: its class; empty for data with targets
  std::vector<TarMember> targets;    ///< of each sample: its array of targets; empty for data with classes

  /// Returns the index of the archive that contains a sample.
  std::size_t part_of(std::size_t sample) const;
  /// Returns the place of a member of a sample, for error messages; see place_of.
  std::string place(const TarMember& member, std::size_t sample) const {
    return place_of(parts[part_of(sample)].name, member);
  }
};

/// The kind of the answers of all samples, and the classes if the answers are classes.
struct TarClasses {
  TarAnswer kind = TarAnswer::none;  ///< none: determined by the first sample
  std::int32_t count = 0;            ///< number of classes; for numbers, the largest class number + 1
  std::vector<std::string> names = {};
};

/// Open the archives of a set and return the samples. The training set must be opened first, because it defines the
/// classes. A test set must not contain other class names.
/// @throws Error bad_file that names the archive and the member, for example if samples have different kinds of
/// answers; also the exceptions of TarParts::open
TarSet open_training_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);
TarSet open_test_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);

}  // namespace troupe
