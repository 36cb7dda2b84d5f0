#pragma once

#include <vector>

#include "troupe/data.hpp"
#include "troupe/predictor.hpp"

namespace troupe {

/// Returns the values of the sample that a row of a table becomes, before any transform.
/// @param encoding the encoding of the table on which the network was trained
/// @throws Error bad_data that names a column that is missing, has text in place of a number, or has an unknown
/// category
std::vector<float> encode_row(const InputEncoding& encoding, const Row& row);

}  // namespace troupe
