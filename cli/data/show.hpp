#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/summary.hpp"

namespace troupe::cli {

/// Returns the text that `troupe data show` prints for a set.
std::string printed_summary(const SetSummary& summary);

/// Writes the page of all sets. @param source the data as the user named it
void write_data_page(const std::string& path, const std::string& source, const std::vector<SetSummary>& sets);

// Sentences that the printed summary and the page share.

/// Returns a text such as "28 x 28".
std::string shape_text(const std::vector<std::int64_t>& shape);
/// Returns the number of samples, such as "60,000", and how many were looked at if not all.
std::string samples_text(const SetSummary& summary);
/// Returns the number of missing fields of each column; empty if none are known.
std::string missing_text(const SetSummary& summary);
/// Returns sentences about values that the figures leave out; often none.
std::vector<std::string> remarks(const SetSummary& summary);

}  // namespace troupe::cli
