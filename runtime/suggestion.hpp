#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// "; did you mean 'NAME'?" of the known name that is nearest to a mistyped one, for the end of an error; empty where
/// none is near. Near is one letter in three that is wrong, missing, superfluous or swapped with the next, capitals
/// aside, or a name of which the beginning was typed.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

}  // namespace troupe
