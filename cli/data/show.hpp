#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/summary.hpp"

namespace troupe::cli {

/// Returns the text that `troupe data show` prints for a set.
std::string printed_summary(const SetSummary& summary);

/// Writes an HTML page with the summaries of all sets to `path`. @param source the data as the user named it
void write_data_page(const std::string& path, const std::string& source, const std::vector<SetSummary>& sets);

// Texts that the printed summary and the page have in common.

/// Returns a text such as "28 x 28"; "one number" for an empty shape.
std::string shape_text(const std::vector<std::int64_t>& shape);
/// Returns the number of samples of the set, such as "60,000". If only some samples were read, their number is
/// appended.
std::string samples_text(const SetSummary& summary);
/// Returns a text with the number of missing fields of each column; empty if no missing fields are known.
std::string missing_text(const SetSummary& summary);
/// Returns sentences about samples, columns and values that the figures leave out, and about random transforms. Often
/// there are none.
std::vector<std::string> remarks(const SetSummary& summary);

}  // namespace troupe::cli
