#include "runtime/net/gate/refusal_log.hpp"

#include "runtime/log.hpp"
#include "runtime/printable.hpp"

namespace troupe::net {
namespace {

constexpr std::size_t kLongestReason = 300;

const std::tuple<std::string, std::string, std::string> kOthers{"refused", "others", "various reasons"};

void tell_of(const std::string& done, const std::string& who, const std::string& why) {
  log_line(LogLevel::warning, done + " " + who + ": " + why);
}

}  // namespace

RefusalLog::~RefusalLog() {
  for (const auto& [kind, seen] : seen_) tell(kind, seen);
}

void RefusalLog::refused(const std::string& who, const std::string& host, const std::string& why) {
  note(printable(who, kLongestReason), {"refused", printable(host, kLongestReason), printable(why, kLongestReason)});
}

void RefusalLog::dropped(const std::string& what, const std::string& why) {
  const std::string shown = printable(what, kLongestReason);
  note(shown, {"dropped", shown, printable(why, kLongestReason)});
}

void RefusalLog::note(const std::string& who, Kind kind) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  forget_until(now);
  if (seen_.size() >= kKinds && !seen_.contains(kind)) kind = kOthers;
  const auto [at, fresh] = seen_.try_emplace(kind, Seen{now});
  if (fresh && kind != kOthers)
    tell_of(std::get<0>(kind), who, std::get<2>(kind));
  else
    ++at->second.more;
}

void RefusalLog::tick(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  forget_until(now);
}

void RefusalLog::forget_until(Clock::time_point now) {
  std::erase_if(seen_, [now](const auto& entry) {
    if (now - entry.second.first < kSilence) return false;
    tell(entry.first, entry.second);
    return true;
  });
}

void RefusalLog::tell(const Kind& kind, const Seen& seen) {
  if (seen.more == 0) return;
  const auto& [done, who, why] = kind;
  tell_of(done, who + " " + std::to_string(seen.more) + " more times", why);
}

}  // namespace troupe::net
