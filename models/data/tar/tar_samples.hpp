#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/files/archives/tar_members.hpp"

namespace troupe {

/// What is known of a sample's class or targets.
enum class TarAnswer : std::uint8_t { none, number, name, targets };

/// A sample in an archive, as WebDataset has them: members that follow each other, whose names are the same up to the
/// first dot of the last folder's.
struct TarSample {
  TarMember values;  ///< an image or an array
  TarAnswer answer = TarAnswer::none;
  std::string label = {};  ///< the class's number or name
  TarMember targets = {};  ///< an array

  bool operator==(const TarSample&) const = default;
};

/// Of an archive, in order. See load_data for what members are.
/// @throws Error bad_file that names archive, member and offset, such as for two images in one sample, a class without
/// an image, or a link
std::vector<TarSample> find_samples(const ArchiveBytes& archive);

/// Whether a member is an image by its name, or else an array.
bool is_image_member(const std::string& name);

}  // namespace troupe
