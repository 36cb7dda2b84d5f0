#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Who has answered one round of messages. Plain book-keeping: answers of earlier rounds, of workers that were not
/// asked and second answers do not count.
class Round {
 public:
  Round(std::uint64_t number, std::vector<int> asked) : number_(number), missing_(std::move(asked)) {}

  std::uint64_t number() const { return number_; }
  /// True when this is an answer that was waited for; from then on it is not.
  bool accept(std::uint64_t round, int worker);
  bool waits_for(int worker) const;
  bool complete() const { return missing_.empty(); }
  /// In order of worker.
  const std::vector<int>& missing() const { return missing_; }
  /// Such as "worker 1" or "workers 1, 3".
  std::string missing_text() const;

 private:
  std::uint64_t number_;
  std::vector<int> missing_;
};

}  // namespace troupe
