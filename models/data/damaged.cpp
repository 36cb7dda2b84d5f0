#include "models/data/damaged.hpp"

#include "runtime/invalid.hpp"
#include "runtime/log.hpp"

namespace troupe {

void DamagedSamples::tell(const Error& error) const {
  constexpr std::size_t kMostTold = 20;
  const std::lock_guard lock(mutex_);
  if (told_.size() >= kMostTold || !told_.insert(error.what()).second) return;
  log_line(LogLevel::warning, std::string("skipped a sample: ") + error.what());
  if (told_.size() == kMostTold) log_line(LogLevel::warning, "further skipped samples will not be logged");
}

bool skips_damaged(const std::string& option, const std::string& value) {
  if (value != "skip") throw_invalid(option + "=" + value + " must be skip");
  return true;
}

}  // namespace troupe
