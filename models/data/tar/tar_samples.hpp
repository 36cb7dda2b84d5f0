#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/files/archives/tar_members.hpp"

namespace troupe {

/// The form in which an archive contains the answer of a sample: the number or the name of its class, or its targets.
enum class TarAnswer : std::uint8_t { none, number, name, targets };

/// A sample in an archive in the format of WebDataset. A sample consists of consecutive members of the archive with the
/// same key. The key of a member is its name up to the first dot after the last slash.
struct TarSample {
  TarMember values;  ///< an image or an array
  TarAnswer answer = TarAnswer::none;
  std::string label = {};  ///< the number or the name of the class
  TarMember targets = {};  ///< an array with the targets of the sample

  bool operator==(const TarSample&) const = default;
};

/// Reads the whole archive, and returns its samples in order. The documentation of `load_data` describes which members
/// contain samples, classes and targets.
/// @throws Error bad_file if members do not form valid samples, for example if a sample has two images, or a class but
/// no image. The message names archive, member and offset
std::vector<TarSample> find_samples(const ArchiveBytes& archive);

/// Returns whether the member that contains the values of a sample is an image, according to its name. Otherwise the
/// member is an array (.npy).
bool is_image_member(const std::string& name);

}  // namespace troupe
