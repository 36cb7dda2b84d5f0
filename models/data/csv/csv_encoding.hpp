#pragma once

#include <string>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// Returns the encoding that a file of weights stores for these columns. @param means the mean of each feature
InputEncoding encoding_of(const std::vector<CsvColumn>& columns, const std::vector<float>& means,
                          const CsvArguments& asked);

/// Returns the columns of a file for a trained network, with the categories and fills of the training. Matches them by
/// name or, without a header, by number. Ignores other columns and logs them. Targets and class may be missing from the
/// file.
/// @param asked its header and its rule for missing fields become those of the training, unless they are set
/// @throws Error bad_data that names the file and the column
std::vector<CsvColumn> columns_like(const std::string& file, CsvArguments& asked, const DataInfo& trained);

/// Returns the encoding for the weights of a trained network that continues with these columns. Their targets or class
/// may be new.
InputEncoding encoding_like(const InputEncoding& trained, const std::vector<CsvColumn>& columns,
                            const CsvArguments& asked);

}  // namespace troupe
