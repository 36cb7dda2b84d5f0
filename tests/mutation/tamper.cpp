#include "mutation/tamper.hpp"

#include <algorithm>
#include <regex>

#include "mutation/mutations.hpp"

namespace troupe_test {

std::string Spot::text() const {
  return (direction == Direction::to_driver ? "from" : "to") + (" member " + std::to_string(member)) + ": " + kind +
         " " + std::to_string(number);
}

std::string Lie::field() const {
  static const std::regex element(R"(\[\d+\])");
  return spot.kind + "." + std::regex_replace(path, element, "[]");
}

std::string Lie::text() const { return spot.text() + ", " + path + ": " + what; }

caf::message Tamper::pass(Direction direction, int member, caf::message message) {
  const std::string kind = kind_of_message(message);
  const std::lock_guard lock(mutex_);
  const Spot spot{direction, member, kind, counts_[{direction, member, kind}]++};
  if (!lie_) {
    recorded_[spot] = message;
    return message;
  }
  if (spot != lie_->spot) return message;
  for (Mutant& mutant : mutants_of(message, others_)) {
    if (mutant.path != lie_->path || mutant.what != lie_->what) continue;
    change_ = text_of_message(message) + "\n  became " + text_of_message(mutant.message);
    return std::move(mutant.message);
  }
  return message;
}

std::map<Spot, caf::message> Tamper::recorded() const {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

std::string Tamper::change() const {
  const std::lock_guard lock(mutex_);
  return change_;
}

}  // namespace troupe_test
