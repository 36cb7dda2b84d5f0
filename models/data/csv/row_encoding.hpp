#pragma once

#include <vector>

#include "troupe/data.hpp"
#include "troupe/predictor.hpp"

namespace troupe {

/// Returns the values of a row, encoded like its table, before any transform.
/// @throws Error bad_data that names a column that is missing, has text in place of a number, or has an unknown
/// category
std::vector<float> encode_row(const InputEncoding& encoding, const Row& row);

}  // namespace troupe
