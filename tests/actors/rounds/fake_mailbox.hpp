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

/// Notes what is sent to whom, and plays back what a script says. Where the script is at its end nothing comes any
/// more: no test waits.
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

  /// What comes next.
  template <class Reply>
  void answer(int member, Reply reply) {
    script_.emplace_back(troupe::Answer{member, caf::make_message(std::move(reply))});
  }
  void end(int member) { script_.emplace_back(troupe::Ended{member}); }
  /// Is told of each message, and may say what comes.
  void when_sent(std::function<void(int, const caf::message&)> act) { when_sent_ = std::move(act); }

  /// Is told when somebody waits for what comes next.
  void when_asked(std::function<void()> act) { when_asked_ = std::move(act); }

  const std::vector<Sent>& sent() const { return sent_; }
  /// By when an event was waited for, each time.
  const std::vector<troupe::Deadline>& deadlines() const { return deadlines_; }
  /// What nobody asked for.
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

/// Knows members as "m0", "m1", ..., and others where it is told so.
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
  std::optional<std::chrono::milliseconds> every;  ///< between looks
  std::vector<std::vector<int>> looked_at;
  std::vector<int> seen_to_have_ended;
  std::function<void()> when_looked;
};

/// A phase that no test outlasts.
inline troupe::Phase calm_phase(const char* name = "compute", std::int64_t step = 7) {
  return {name, step, troupe::Deadline(std::chrono::hours(1))};
}

}  // namespace troupe_test
