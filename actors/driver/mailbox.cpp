#include "actors/driver/mailbox.hpp"

namespace troupe {

/// Handles a reply.
template <class Reply>
auto Mailbox::into(std::optional<Event>& event) {
  return [this, &event](Reply& reply) {
    event = From<Reply>{std::move(reply), caf::actor_cast<caf::actor_addr>(self_->current_sender())};
  };
}

std::optional<Event> Mailbox::next(const Deadline& deadline) {
  std::optional<Event> event;
  const auto until = std::chrono::high_resolution_clock::now() + (deadline.at() - Clock::now());
  while (!event && self_->await_data(until)) {
    self_->receive(
        [&](Join& join) {
          event = Joined{join, caf::actor_cast<caf::actor>(self_->current_sender())};
        },
        [&](NodeJoin& join) {
          event = NodeJoined{join, caf::actor_cast<caf::actor>(self_->current_sender())};
        },
        [&](const caf::down_msg& down) { event = Ended{down.source}; }, into<Built>(event), into<Computed>(event),
        into<Applied>(event), into<TaskDone>(event),
        // What nobody of ours sends is dropped.
        caf::others >> [](caf::message_view&) -> caf::result<caf::message> { return caf::message{}; });
  }
  after_receive();
  return event;
}

}  // namespace troupe
