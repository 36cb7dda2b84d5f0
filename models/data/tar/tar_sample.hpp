#pragma once

#include <cstdint>
#include <string>

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

}  // namespace troupe
