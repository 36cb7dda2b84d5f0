#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Returns "; did you mean 'NAME'?" with the known name that is nearest to the mistyped one, to be appended to an error
/// message. Returns an empty text if no name is near. A name is near if at most one third of the typed letters (at
/// least one) must be changed, inserted, deleted or swapped with the next. A name that begins with the typed text is
/// near, too, if at least three letters were typed. Upper and lower case are the same.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

}  // namespace troupe
