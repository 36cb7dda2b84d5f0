#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe_test {

/// Returns the names of a type's fields, in the order in which its function `fields` visits them. Reads them from the
/// headers in `actors/messages`. @throws std::logic_error for a type without such a function
const std::vector<std::string>& field_names(std::string_view type);

/// Returns the name of a type of namespace `troupe`, such as "Applied".
template <class T>
std::string_view name_of_type() {
  const std::string_view text = __PRETTY_FUNCTION__;  // "... [with T = troupe::Applied; ...]", or clang's "[T = ...]"
  const auto begin = text.find("T = troupe::") + 12;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

}  // namespace troupe_test
