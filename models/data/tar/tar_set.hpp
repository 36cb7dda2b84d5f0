#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/data/tar/tar_parts.hpp"

namespace troupe {

/// The samples of a set that consists of one or more archives: all samples of the first part of an archive, then all of
/// the second, and so on.
struct TarSet {
  std::vector<TarPart> parts;
  std::vector<std::int64_t> firsts;  ///< number of the first sample of each part
  std::vector<TarMember> values;     ///< for each sample: its image or array
  std::vector<std::int32_t> labels;  ///< for each sample: its class; empty for data with targets
  std::vector<TarMember> targets;    ///< for each sample: its array of targets; empty for data with classes

  /// Returns the index in `parts` of the part that contains a sample.
  /// @param sample the number of the sample in the set
  std::size_t part_of(std::size_t sample) const;
  /// Returns a text for error messages that describes where a member of a sample is; see place_of.
  std::string place(const TarMember& member, std::size_t sample) const {
    return place_of(parts[part_of(sample)].shown, member);
  }
};

/// Describes the answers (class or targets) of all samples of a set: their kind and, if they are classes, the classes.
struct TarClasses {
  TarAnswer kind = TarAnswer::none;  ///< TarAnswer::none: not known yet, the first sample determines it
  std::int32_t count = 0;            ///< number of classes; if samples contain the numbers of classes, the largest
                                     ///< number + 1
  std::vector<std::string> names = {};
};

/// Open the archives of the training set or of the test set, and return the samples. The training set must be opened
/// first, because it defines the classes. The test set must not contain names of other classes.
/// @param archives the names of the archives: files, or commands after kPipe
/// @param parts opens the archives
/// @param classes describes the answers of the samples; `open_training_set` sets it
/// @throws Error bad_file if the samples do not match, for example if they have different kinds of answers (the message
/// names the archive and the member); also the exceptions of TarParts::open
TarSet open_training_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);
TarSet open_test_set(const std::vector<std::string>& archives, TarParts& parts, TarClasses& classes);

}  // namespace troupe
