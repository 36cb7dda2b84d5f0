#pragma once

#include <string>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// Returns the description of how rows with these columns become samples. Files of weights contain this description, so
/// that new rows can be encoded in the same way.
/// @param means the mean of each feature, indexed by CsvColumn::slot
InputEncoding encoding_of(const std::vector<CsvColumn>& columns, const std::vector<float>& means,
                          const CsvArguments& asked);

/// Returns the columns of a file that is read for a network that has been trained before. The columns get the roles,
/// the categories and the replacements of missing numbers (CsvColumn::fill) from the training data. Columns are matched
/// by name or, without a header, by number. Columns that the training data did not have are ignored and logged. The
/// file may lack the targets and the class.
/// @param asked the options of the data. This function sets `asked.header` to whether the file has a header. It
/// replaces the rules `refuse` and `mean` for missing fields by `trained`, because the means of the training data must
/// be used
/// @param trained the description of the training data
/// @throws Error bad_data if the columns do not match those of the training data; the message names the file and the
/// columns
std::vector<CsvColumn> columns_like(const std::string& file, CsvArguments& asked, const DataInfo& trained);

/// Returns the encoding to store in files of weights if a trained network is trained further on these columns: the
/// encoding of the previous training. If the arguments select targets or a class, these replace the targets and the
/// class in the encoding.
/// @param trained the encoding of the previous training
/// @param asked the options of the data
InputEncoding encoding_like(const InputEncoding& trained, const std::vector<CsvColumn>& columns,
                            const CsvArguments& asked);

}  // namespace troupe
