#pragma once

#include <cstdint>
#include <vector>

namespace troupe {

/// Who has answered one round of messages. Plain book-keeping: answers of earlier rounds, of members that were not
/// asked and second answers do not count.
class Round {
 public:
  Round(std::uint64_t number, std::vector<int> asked) : number_(number), missing_(std::move(asked)) {}

  std::uint64_t number() const { return number_; }
  /// True when this is an answer that was waited for; from then on it is not.
  bool accept(std::uint64_t round, int member) {
    if (round != number_) return false;
    return std::erase(missing_, member) > 0;
  }
  bool complete() const { return missing_.empty(); }
  /// In the order in which they were asked.
  const std::vector<int>& missing() const { return missing_; }

 private:
  std::uint64_t number_;
  std::vector<int> missing_;
};

}  // namespace troupe
