#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/rounds/failures.hpp"
#include "actors/rounds/mailbox.hpp"

namespace troupe_test {

/// Records all messages, and plays back the replies of a script. At the end of the script every wait times out at once,
/// so no test waits.
class FakeMailbox : public troupe::Mailbox {
 public:
  struct Sent {
    int member = 0;
    caf::message content;
  };

  void send(int member, const caf::message& message) override {
    sent_.push_back({member, message});
    if (when_sent_) when_sent_(member, message);
  }
  std::optional<troupe::Event> next(const troupe::Deadline& deadline) override {
    deadlines_.push_back(deadline);
    if (when_asked_) when_asked_();
    if (script_.empty()) return std::nullopt;
    troupe::Event event = std::move(script_.front());
    script_.pop_front();
    return event;
  }

  /// Appends a reply to the script.
  template <class Reply>
  void answer(int member, Reply reply) {
    script_.emplace_back(troupe::Answer{member, caf::make_message(std::move(reply))});
  }
  void end(int member) { script_.emplace_back(troupe::Ended{member}); }
  /// Sets a function that is called for each message and may append replies.
  void when_sent(std::function<void(int, const caf::message&)> act) { when_sent_ = std::move(act); }

  /// Sets a function that is called when a wait for the next event begins.
  void when_asked(std::function<void()> act) { when_asked_ = std::move(act); }

  const std::vector<Sent>& sent() const { return sent_; }
  /// The deadlines of all waits.
  const std::vector<troupe::Deadline>& deadlines() const { return deadlines_; }
  /// The number of events that no wait has returned.
  std::size_t unheard() const { return script_.size(); }
  void forget() {
    sent_.clear();
    script_.clear();
    deadlines_.clear();
  }

 private:
  std::vector<Sent> sent_;
  std::deque<troupe::Event> script_;
  std::vector<troupe::Deadline> deadlines_;
  std::function<void(int, const caf::message&)> when_sent_;
  std::function<void()> when_asked_;
};

/// Names members "m0", "m1", ..., or as the test specifies.
class FakeFailureDetector : public troupe::FailureDetector {
 public:
  std::string node(int member) const override {
    const auto other = homes.find(member);
    return other == homes.end() ? "m" + std::to_string(member) : other->second;
  }
  std::string how_it_ended(int member, std::chrono::milliseconds /*timeout*/) override { return ends[member]; }
  void note_end(int member) override { ended.push_back(member); }
  std::optional<std::chrono::milliseconds> looks_every() const override { return every; }
  std::vector<int> look_at(const std::vector<int>& members) override {
    looked_at.push_back(members);
    if (when_looked) when_looked();
    return seen_to_have_ended;
  }

  std::map<int, std::string> homes;
  std::map<int, std::string> ends;
  std::vector<int> ended;
  std::optional<std::chrono::milliseconds> every;  ///< interval between checks
  std::vector<std::vector<int>> looked_at;
  std::vector<int> seen_to_have_ended;
  std::function<void()> when_looked;
};

/// A phase with a deadline that no test reaches.
inline troupe::Phase calm_phase(const char* name = "compute", std::int64_t step = 7) {
  return {name, step, troupe::Deadline(std::chrono::hours(1))};
}

}  // namespace troupe_test
