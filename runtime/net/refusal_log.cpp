#include "runtime/net/refusal_log.hpp"

#include <iostream>

namespace troupe::net {
namespace {

const std::pair<std::string, std::string> kOthers{"others", "various reasons"};

}  // namespace

RefusalLog::~RefusalLog() {
  for (const auto& [kind, seen] : seen_) tell(kind, seen);
}

void RefusalLog::refused(const std::string& who, const std::string& host, const std::string& why) {
  const auto now = Clock::now();
  tick(now);
  Kind kind{host, why};
  if (seen_.size() >= kKinds && !seen_.contains(kind)) kind = kOthers;
  const auto [at, fresh] = seen_.try_emplace(kind, Seen{now});
  if (fresh && kind != kOthers)
    std::cerr << "troupe: refused " + who + ": " + why + "\n";
  else
    ++at->second.more;
}

void RefusalLog::tick(Clock::time_point now) {
  std::erase_if(seen_, [now](const auto& entry) {
    if (now - entry.second.first < kSilence) return false;
    tell(entry.first, entry.second);
    return true;
  });
}

void RefusalLog::tell(const Kind& kind, const Seen& seen) {
  if (seen.more == 0) return;
  std::cerr << "troupe: refused " + kind.first + " " + std::to_string(seen.more) + " more times: " + kind.second + "\n";
}

}  // namespace troupe::net
