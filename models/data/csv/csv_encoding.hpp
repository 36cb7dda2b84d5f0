#pragma once

#include <string>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// Returns the encoding of these columns, which is stored in files of weights.
/// @param means the mean of each feature, by CsvColumn::slot
InputEncoding encoding_of(const std::vector<CsvColumn>& columns, const std::vector<float>& means,
                          const CsvArguments& asked);

/// Returns the columns of a file that is read for a trained network, with the roles, categories and fills of the
/// training data. Columns are matched by name or, without a header, by number. Columns that the training data did not
/// have are ignored and logged. The file may lack targets and class.
/// @param asked is changed. Its header states whether the file has a header. The rules `refuse` and `mean` for missing
/// fields become `trained`, because the means of the training data must be used
/// @param trained describes the training data
/// @throws Error bad_data that names the file and the column
std::vector<CsvColumn> columns_like(const std::string& file, CsvArguments& asked, const DataInfo& trained);

/// Returns the encoding to store when a trained network is trained further on these columns. It is that of the first
/// training; if the arguments select new targets or a new class, these replace the old ones.
InputEncoding encoding_like(const InputEncoding& trained, const std::vector<CsvColumn>& columns,
                            const CsvArguments& asked);

}  // namespace troupe
