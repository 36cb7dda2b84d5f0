#include "actors/rounds/reception.hpp"

#include <utility>

namespace troupe {

std::optional<Event> Reception::next(const Deadline& deadline) {
  while (auto happening = next_happening(deadline)) {
    if (auto* answer = std::get_if<Answer>(&*happening)) return std::move(*answer);
    if (const auto* ended = std::get_if<Ended>(&*happening)) return *ended;
  }
  return std::nullopt;
}

}  // namespace troupe
