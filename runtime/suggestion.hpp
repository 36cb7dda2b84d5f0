#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Returns "; did you mean 'NAME'?", which callers append to an error message about an unknown name. NAME is the name
/// in `known` that is most similar to `typed`. Returns an empty text if no name is similar. A name is similar if a few
/// single-letter edits make `typed` equal to it: inserting, deleting or replacing a letter, or swapping two neighbours.
/// The number of edits may be at most a third of the number of typed letters, but one edit is always allowed. If
/// `typed` has at least three letters, every name that begins with `typed` is similar, too. Upper and lower case are
/// the same.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

}  // namespace troupe
