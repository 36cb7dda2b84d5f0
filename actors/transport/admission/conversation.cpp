#include "actors/transport/admission/conversation.hpp"

#include <optional>
#include <string>

#include "actors/transport/admission/refuse.hpp"

namespace troupe {
namespace {

/// The maximum number of times that one end may monitor the same actor. More than one time is normal: if CAF has
/// forgotten an actor and then receives the actor's address again, CAF monitors the actor again.
constexpr std::uint32_t kMostWatches = 1000;

/// Decrements `owed`. If `owed` is already 0, throws Error protocol with the message `otherwise`.
void use_up(std::uint32_t& owed, const char* otherwise) {
  if (owed == 0) refuse(otherwise);
  --owed;
}

}  // namespace

void Conversation::say(MessageKind kind, Actor from, Actor to) {
  if (recipient_of(kind) != Recipient::driver) return say_to_node(kind, from, to);
  if (to != driver_) refuse("a message is for an unknown actor");
  say_to_driver(kind, from);
}

void Conversation::say_to_node(MessageKind kind, Actor from, Actor to) {
  if (from != driver_) refuse("a request comes from an actor other than the driver");
  Party& asked = party(to);
  if ((recipient_of(kind) == Recipient::node) != (to == node_)) refuse("a request is for the wrong kind of actor");
  const MessageKind answer = answer_to(kind);
  ++(is_join_of_worker(answer) ? joins_owed_ : asked.owed[answer]);
}

void Conversation::say_to_driver(MessageKind kind, Actor from) {
  if (is_join_of_node(kind)) {
    if (node_ != 0) refuse("it joins twice");
    come(from);
    node_ = from;
  } else if (is_join_of_worker(kind)) {
    use_up(joins_owed_, "a worker joins that the driver did not start");
    come(from);
  } else {
    use_up(party(from).owed[kind], "an answer without a question");
  }
}

void Conversation::come(Actor actor) {
  if (actor == 0 || !parties_.try_emplace(actor).second) refuse("it joins as an actor that has already joined");
}

Conversation::Party& Conversation::party(Actor actor) {
  const auto found = parties_.find(actor);
  if (found == parties_.end()) refuse("it names an actor that did not join");
  return found->second;
}

void Conversation::watch_driver(Actor actor) {
  if (actor == 0 || actor != driver_) refuse("it monitors an unknown actor");
  watch(driver_watched_);
}

void Conversation::watch_node(Actor actor) { watch(party(actor).watched); }

void Conversation::watch(std::uint32_t& watched) {
  if (++watched > kMostWatches) refuse("it monitors an actor too often");
}

void Conversation::end_of_driver(Actor actor) {
  if (actor != driver_) refuse("it reports the end of another actor");
  use_up(driver_watched_, "it reports the end of an actor that is not monitored");
}

void Conversation::end_of_node(Actor actor) {
  use_up(party(actor).watched, "it reports the end of an actor that is not monitored");
}

}  // namespace troupe
