#include "runtime/planted_bug.hpp"

#if defined(TROUPE_PLANTED_BUGS)

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace troupe {
namespace {

/// In the enumeration's order.
constexpr std::array<const char*, 13> kNames{
    "no_fsync",           "early_commit",      "generation_unchecked", "newcomer_forgotten",  "pin_ignored",
    "duplicate_counted",  "stale_reply_taken", "replicas_not_rebuilt", "wrong_step_replayed", "shard_dealt_twice",
    "budget_never_spent", "gradients_kept_on", "late_gradients_taken"};

/// Its number; -1 for none.
int chosen() {
  const char* const name = std::getenv("TROUPE_PLANTED_BUG");
  if (name == nullptr) return -1;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (std::string(kNames[i]) == name) return static_cast<int>(i);
  throw std::invalid_argument(std::string("no bug is named ") + name);
}

}  // namespace

bool planted(PlantedBug bug) {
  static const int number = chosen();
  return static_cast<int>(bug) == number;
}

}  // namespace troupe

#endif
