#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/data/summary.hpp"

namespace troupe::cli {

/// What `troupe data show` prints of a set.
std::string printed_summary(const SetSummary& summary);

/// The page that it writes of all sets. @param source as the data was asked for
void write_data_page(const std::string& path, const std::string& source, const std::vector<SetSummary>& sets);

// Sentences that both say.

/// "28 x 28".
std::string shape_text(const std::vector<std::int64_t>& shape);
/// "60,000 samples", and where only some of them were looked at how many.
std::string samples_text(const SetSummary& summary);
/// Fields that the files lack, column after column; empty where it is not known that there are such.
std::string missing_text(const SetSummary& summary);
/// Plain sentences about what the figures leave out; often none.
std::vector<std::string> remarks(const SetSummary& summary);

}  // namespace troupe::cli
