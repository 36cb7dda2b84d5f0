#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/files/archives/tar_members.hpp"

namespace troupe {

/// The kind of answer of a sample: its class or its targets.
enum class TarAnswer : std::uint8_t { none, number, name, targets };

/// A sample in an archive in the format of WebDataset: consecutive members whose names are the same up to the first dot
/// after the last folder.
struct TarSample {
  TarMember values;  ///< an image or an array
  TarAnswer answer = TarAnswer::none;
  std::string label = {};  ///< number or name of the class
  TarMember targets = {};  ///< an array

  bool operator==(const TarSample&) const = default;
};

/// Returns the samples of an archive in order. See load_data for the roles of members.
/// @throws Error bad_file that names archive, member and offset, for example for two images in one sample, a class
/// without an image, or a link
std::vector<TarSample> find_samples(const ArchiveBytes& archive);

/// True if a member is an image by its name; otherwise it is an array.
bool is_image_member(const std::string& name);

}  // namespace troupe
