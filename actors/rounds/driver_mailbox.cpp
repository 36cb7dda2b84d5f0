#include "actors/rounds/driver_mailbox.hpp"

namespace troupe {
namespace {

constexpr const char* kWhat = "this run";

}  // namespace

void DriverMailbox::seat(int member, const caf::actor& actor) {
  actors_[member] = actor;
  members_[actor.address()] = member;
  self_->monitor(actor);
}

void DriverMailbox::unseat(int member) {
  const auto seat = actors_.find(member);
  if (seat == actors_.end()) return;
  self_->demonitor(seat->second);
  members_.erase(seat->second.address());
  actors_.erase(seat);
}

void DriverMailbox::send(int member, const caf::message& message) {
  owner_.check(kWhat);
  before_send();
  self_->send(actors_.at(member), message);
}

std::optional<Happening> DriverMailbox::hear(const Deadline& deadline) {
  owner_.check(kWhat);
  std::optional<Happening> happening;
  const auto until = std::chrono::high_resolution_clock::now() + (deadline.at() - Clock::now());
  while (!happening && self_->await_data(until)) {
    after_receive();
    self_->receive([&](const caf::down_msg& down) { happening = ended(down.source); },
                   caf::others >> [&](caf::message_view& view) -> caf::result<caf::message> {
                     after_receive();  // the received message may be another one than `await_data` has seen
                     happening = heard(view.move_content_to_message());
                     return caf::message{};
                   });
  }
  return happening;
}

Happening DriverMailbox::ended(const caf::actor_addr& actor) const {
  const auto member = members_.find(actor);
  if (member == members_.end()) return Departure{actor};
  return Ended{member->second};
}

/// Returns the event for a received message: an `Answer` if the sender is a member, or an arrival if another actor asks
/// to join. Returns none for any other message, which is then dropped.
std::optional<Happening> DriverMailbox::heard(caf::message content) const {
  const auto member = members_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
  if (member != members_.end()) return Answer{member->second, std::move(content)};
  const auto stranger = caf::actor_cast<caf::actor>(self_->current_sender());
  if (!stranger) return std::nullopt;
  if (content.match_elements<Join>()) return WorkerArrival{content.get_as<Join>(0), stranger};
  if (content.match_elements<NodeJoin>()) return NodeArrival{content.get_as<NodeJoin>(0), stranger};
  return std::nullopt;
}

}  // namespace troupe
