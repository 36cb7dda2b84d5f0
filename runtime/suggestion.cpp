#include "runtime/suggestion.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace troupe {
namespace {

/// The maximum length of a typed text for which a suggestion is made. A longer text is hardly a typing error, and its
/// comparison takes long: the time for an edit distance is proportional to the product of both lengths.
constexpr std::size_t kLongest = 100;
/// The minimum length of a typed text for which all names that begin with this text count as similar. Too many names
/// begin with a shorter text.
constexpr std::size_t kShortestBeginning = 3;

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lowered;
}

/// Returns the edit distance of two texts: the minimum number of single-letter edits that convert `a` to `b`. An edit
/// inserts, deletes or replaces a letter, or swaps two neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> above;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(above);
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  if (typed.empty() || typed.size() > kLongest) return "";
  const std::string wanted = lower(typed);
  const std::size_t farthest = std::max<std::size_t>(1, wanted.size() / 3);
  std::pair nearest{farthest + 1, std::string()};  // among equally similar names, the shortest is chosen
  for (const std::string& name : known) {
    const bool begun = wanted.size() >= kShortestBeginning && lower(name).starts_with(wanted);
    const std::size_t away = distance(wanted, lower(name));
    const std::pair candidate{begun ? std::min(farthest, away) : away, name};
    const auto rank = [](const auto& each) { return std::pair(each.first, each.second.size()); };
    if (candidate.first <= farthest && rank(candidate) < rank(nearest)) nearest = candidate;
  }
  return nearest.second.empty() ? "" : "; did you mean '" + nearest.second + "'?";
}

}  // namespace troupe
