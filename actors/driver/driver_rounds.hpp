#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "actors/driver/driver.hpp"

namespace troupe {

/// How long the driver waits for other failures after one that blames another node.
inline constexpr std::chrono::milliseconds kBlamePatience{500};

template <class Reply, class Message, class Prepare>
std::vector<Reply> Driver::ask(Message message, const std::vector<int>& to, const char* phase, const Deadline& deadline,
                               Prepare prepare) {
  message.round = ++last_round_;
  Round round(last_round_, to);
  settled_ = false;
  for (const int member : to) {
    prepare(message, member);
    runtime_->mailbox.send(actor_of(member), message);
  }
  std::vector<Reply> replies;
  Failures failures;
  std::optional<Deadline> patience;  // after the first failure, for others to say who is to blame
  while (!round.complete()) {
    const auto event = next_event(round, phase, patience.value_or(deadline));
    if (!event && patience) break;
    if (!event) time_out(round, phase);
    const auto* from = std::get_if<From<Reply>>(&*event);
    const Reply* reply = from != nullptr ? &from->reply : nullptr;
    if (reply == nullptr || !is_from(reply->worker, from->sender) || !round.accept(reply->round, reply->worker))
      continue;
    if (!reply->failure) {
      replies.push_back(*reply);
      continue;
    }
    failures.emplace_back(reply->worker, reply->failure);
    if (reply->failure.node.empty()) break;
    if (!patience) patience = Deadline(std::min(kBlamePatience, deadline.left()));
  }
  if (!failures.empty()) throw_blame(round, failures, phase);
  settled_ = true;
  std::sort(replies.begin(), replies.end(), [](const Reply& a, const Reply& b) { return a.worker < b.worker; });
  return replies;
}

template <class Reply, class Message>
std::vector<Reply> Driver::ask(Message message, const std::vector<int>& to, const char* phase,
                               const Deadline& deadline) {
  return ask<Reply>(std::move(message), to, phase, deadline, [](Message&, int) {});
}

}  // namespace troupe
