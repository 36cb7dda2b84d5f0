#pragma once

#include <vector>

#include "troupe/data.hpp"
#include "troupe/predictor.hpp"

namespace troupe {

/// Converts one row of a table to a sample, and returns the values of the sample before any transform.
/// @param encoding the encoding of the table on which the network was trained
/// @throws Error bad_data if a column of the training data is missing in `row`, has text in place of a number, or has
/// an unknown category; the message names the column
std::vector<float> encode_row(const InputEncoding& encoding, const Row& row);

}  // namespace troupe
