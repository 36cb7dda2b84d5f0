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
  std::vector<TarExtent> values;     ///< for each sample: its image or array
  std::vector<std::int32_t> labels;  ///< for each sample: its class; empty for data with targets
  std::vector<TarExtent> targets;    ///< for each sample: its array of targets; empty for data with classes

  /// Returns the index in `parts` of the part that contains a sample.
  /// @param sample the number of the sample in the set
  std::size_t part_of(std::size_t sample) const;
};

/// What all samples of the training set and of the test set have in common. The first sample determines it, except for
/// the classes.
struct TarTraits {
  TarAnswer answer = TarAnswer::none;   ///< TarAnswer::none: there was no sample yet
  bool images = false;                  ///< whether the samples are images; otherwise they are arrays
  std::int32_t count = 0;               ///< number of classes; if samples contain the numbers of classes, the largest
                                        ///< number + 1
  std::vector<std::string> names = {};  ///< of the classes, if samples contain names
};

/// Open the archives of the training set or of the test set, and return the samples. The training set must be opened
/// first, because it defines the classes. The test set must not contain names of other classes.
/// @param archives the names of the archives: files, or commands after kPipe
/// @param parts opens the archives
/// @param traits `open_training_set` sets it
/// @throws Error bad_file if the samples do not match, for example if they have different kinds of answers, or some are
/// images and some arrays (the message names the archive and the member); also the exceptions of TarParts::open
TarSet open_training_set(const std::vector<std::string>& archives, TarParts& parts, TarTraits& traits);
TarSet open_test_set(const std::vector<std::string>& archives, TarParts& parts, TarTraits& traits);

}  // namespace troupe
