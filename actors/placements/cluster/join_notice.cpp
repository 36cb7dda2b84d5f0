#include "actors/placements/cluster/join_notice.hpp"

#include <utility>

namespace troupe {
namespace {

constexpr std::chrono::seconds kTimeToJoin{2};
constexpr std::chrono::seconds kAgain{10};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

JoinNotice::JoinNotice(std::string listen, int wanted, Clock::time_point now)
    : listen_(std::move(listen)), wanted_(static_cast<std::size_t>(wanted)), due_(now + kTimeToJoin) {}

std::optional<std::string> JoinNotice::look(const std::vector<std::string>& joined, Clock::time_point now) {
  const bool news = said_ && joined != last_;
  if (!news && now < due_) return std::nullopt;
  said_ = true;
  last_ = joined;
  due_ = now + kAgain;
  const std::string there = joined.empty() ? "" : " (" + listed(joined) + " joined)";
  const std::string missing =
      joined.size() < wanted_ ? std::to_string(wanted_ - joined.size()) + " of " + std::to_string(wanted_) + " nodes"
                              : "nodes that keep copies of the state";
  return "waiting for " + missing + " at " + listen_ + there;
}

std::optional<std::string> JoinNotice::end(const std::vector<std::string>& joined) const {
  if (!said_) return std::nullopt;
  const std::string all = std::to_string(wanted_);
  if (joined.size() == wanted_) return "all " + all + " nodes have joined: " + listed(joined);
  return "beginning with " + std::to_string(joined.size()) + " of " + all + " nodes: " + listed(joined);
}

}  // namespace troupe
