#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The dictionary in a .npy file.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Parses the Python literal that NumPy writes: exactly the keys descr, fortran_order and shape, padded with blanks.
/// Nothing for any other text.
std::optional<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace troupe
