#pragma once

#include <string>

#include "models/data/tar/tar_sample_list.hpp"

namespace troupe {

/// Reads the whole archive, and returns its samples in order. The documentation of `load_data` describes which members
/// contain samples, classes and targets.
/// @throws Error bad_file if members do not form valid samples, for example if a sample has two images, or a class but
/// no image. The message names archive, member and offset
TarSampleList find_samples(const ArchiveBytes& archive);

/// Returns whether the member that contains the values of a sample is an image, according to its name. Otherwise the
/// member is an array (.npy).
bool is_image_member(const std::string& name);

}  // namespace troupe
