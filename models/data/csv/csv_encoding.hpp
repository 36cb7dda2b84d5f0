#pragma once

#include <string>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// What a file of weights stores of columns whose rows have been read. @param means of each feature
InputEncoding encoding_of(const std::vector<CsvColumn>& columns, const std::vector<float>& means,
                          const CsvArguments& asked);

/// The columns of a file for a network that was trained on others: matched by their names or, without a header, by
/// their number, with the categories and fills of the training. Others are ignored, with a line in the log. Targets and
/// class may be missing from the file.
/// @param asked its header and its rule for missing fields become those of the training, unless they are given
/// @throws Error bad_data that names file and column
std::vector<CsvColumn> columns_like(const std::string& file, CsvArguments& asked, const DataInfo& trained);

/// What the weights of a network store that goes on with such columns, whose targets or class may be others.
InputEncoding encoding_like(const InputEncoding& trained, const std::vector<CsvColumn>& columns,
                            const CsvArguments& asked);

}  // namespace troupe
