#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/data/tar/tar_parts.hpp"

namespace troupe {

/// The samples of all archives of a set, one after the other.
struct TarSet {
  std::vector<TarPart> parts;
  std::vector<std::int64_t> firsts;  ///< sample of each part
  std::vector<TarMember> values;     ///< of each sample
  std::vector<std::int32_t> labels;  ///< or else
  std::vector<TarMember> targets;

  std::size_t part_of(std::size_t sample) const;
  /// For errors.
  std::string place(const TarMember& member, std::size_t sample) const {
    return place_of(parts[part_of(sample)].name, member);
  }
};

/// What the answers of all samples are: classes, by number or name, or targets.
struct TarClasses {
  TarAnswer kind = TarAnswer::none;  ///< none: as in the first sample
  std::int32_t count = 0;            ///< of numbers, from 0 to the largest
  std::vector<std::string> names = {};
};

/// Opens a set's archives. The training set's come first, and add to the classes; in a test set there are no other
/// names.
/// @throws Error bad_file that names archive and member, and what TarParts::open throws
TarSet open_training_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);
TarSet open_test_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);

}  // namespace troupe
