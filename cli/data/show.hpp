#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/summary.hpp"

namespace troupe::cli {

/// Returns the text that `troupe data show` prints about one set of samples.
std::string printed_summary(const SetSummary& summary);

/// Writes an HTML page with the summaries of all sets of samples to the file `path`.
/// @param source the name of the data, as the user typed it
void write_data_page(const std::string& path, const std::string& source, const std::vector<SetSummary>& sets);

// The following functions return texts that both the printed summary and the HTML page contain.

/// Returns the shape of a sample as a text such as "28 x 28"; "one number" for an empty shape.
std::string shape_text(const std::vector<std::int64_t>& shape);
/// Returns a text with the number of samples of the set, such as "60,000". If only some samples were read, the text
/// also contains the number of samples that were read.
std::string samples_text(const SetSummary& summary);
/// Returns a text that lists columns with missing fields, and the number of missing fields of each; empty if no missing
/// fields are known.
std::string missing_text(const SetSummary& summary);
/// Returns sentences about the limits of the summary: samples, columns or values that are left out, and random
/// transforms. The list is empty if nothing was left out and there are no random transforms.
std::vector<std::string> remarks(const SetSummary& summary);

}  // namespace troupe::cli
