#pragma once

#include <vector>

#include "troupe/data.hpp"
#include "troupe/predictor.hpp"

namespace troupe {

/// The values of a row as its table's encoding makes them, before any transform.
/// @throws Error bad_data that names the column which is missing, has a text for a number, or an unknown category
std::vector<float> encode_row(const InputEncoding& encoding, const Row& row);

}  // namespace troupe
