#include "actors/driver/round.hpp"

#include <algorithm>

namespace troupe {

bool Round::waits_for(int worker) const {
  return std::find(missing_.begin(), missing_.end(), worker) != missing_.end();
}

bool Round::accept(std::uint64_t round, int worker) { return round == number_ && std::erase(missing_, worker) > 0; }

std::string Round::missing_text() const {
  std::string text = missing_.size() == 1 ? "worker " : "workers ";
  for (std::size_t i = 0; i < missing_.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(missing_[i]);
  return text;
}

}  // namespace troupe
