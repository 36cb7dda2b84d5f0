#pragma once

#include <algorithm>

#include "actors/driver.hpp"

namespace troupe {

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
  while (!round.complete()) {
    Event event = wait_for_event(round, phase, deadline);
    auto* reply = std::get_if<Reply>(&event);
    if (reply == nullptr || !round.accept(reply->round, reply->worker)) continue;
    if (reply->failure) throw reply->failure.to_error(where(reply->worker, phase));
    replies.push_back(std::move(*reply));
  }
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
