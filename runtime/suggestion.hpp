#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Returns "; did you mean 'NAME'?" with the known name nearest to a mistyped one, for the end of an error; empty if
/// none is near. A name is near if at most one letter in three is wrong, missing, superfluous or swapped with the next.
/// Case is ignored. A name whose first letters were typed is near, too.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

}  // namespace troupe
