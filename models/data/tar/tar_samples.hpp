#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/files/archives/tar_members.hpp"

namespace troupe {

/// The form in which an archive contains the answer of a sample: the number or the name of its class, or its targets.
enum class TarAnswer : std::uint8_t { none, number, name, targets };

/// A sample in an archive in the format of WebDataset. A sample consists of consecutive members with the same key. The
/// key is the name up to the first dot after the last slash.
struct TarSample {
  TarMember values;  ///< an image or an array
  TarAnswer answer = TarAnswer::none;
  std::string label = {};  ///< number or name of the class
  TarMember targets = {};  ///< an array

  bool operator==(const TarSample&) const = default;
};

/// Returns the samples of an archive in order. The documentation of `load_data` describes the roles of members.
/// @throws Error bad_file that names archive, member and offset, for example for two images in one sample, a class
/// without an image, or a link
std::vector<TarSample> find_samples(const ArchiveBytes& archive);

/// Returns whether a member with this name is an image. Otherwise the member is an array (.npy).
bool is_image_member(const std::string& name);

}  // namespace troupe
