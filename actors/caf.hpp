#pragma once

// All contact with CAF goes through this header and the few files that include it. Written against CAF 0.17; what 1.x
// calls otherwise is noted here: the inspect functions and the type block of messages.hpp (`f.object(x).fields(...)`,
// no atoms), `send`, `send_as` and `anon_send` (`mail(...).send(to)`), monitors (a callback in place of `down_msg`),
// and the prefix of configuration keys ("caf.").

#include <atomic>
#include <caf/all.hpp>
#include <caf/io/all.hpp>

static_assert(CAF_MAJOR_VERSION == 0, "actors/caf.hpp lists what to change for CAF 1.x");

namespace troupe {

// What a sender wrote before it sent or spawned, a receiver may read. CAF sees to that, but its libraries are not
// instrumented, so ThreadSanitizer has to be told.
#if defined(__SANITIZE_THREAD__)
void before_send();
void after_receive();
#else
inline void before_send() {}
inline void after_receive() {}
#endif

/// Stands where a thread of a user makes a system or something in it. CAF keeps the system's logger for such a thread
/// until it ends, and the end of the system waits for that. It may come sooner, on another thread, or, of a static
/// object, when what this thread kept is destroyed already.
struct ForgetsLogger {
  ForgetsLogger() = default;
  ForgetsLogger(const ForgetsLogger&) = delete;
  ForgetsLogger& operator=(const ForgetsLogger&) = delete;
  ~ForgetsLogger() { caf::logger::set_current_actor_system(nullptr); }
};

/// What an actor did in one turn, which is its beginning or a request, comes before the next one, in whichever thread;
/// and what was sent to it, or it was spawned with, before that turn.
class ActorTurns {
 public:
  class Turn {
   public:
    explicit Turn(ActorTurns& turns) : taken_(turns.taken_) {
      after_receive();
      taken_.load(std::memory_order_acquire);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { taken_.fetch_add(1, std::memory_order_release); }

   private:
    std::atomic<int>& taken_;
  };

 private:
  std::atomic<int> taken_{0};
};

/// What to send: all of it has been written by now.
template <class Content>
caf::message ready_to_send(Content content) {
  caf::message message = caf::make_message(std::move(content));
  before_send();
  return message;
}

/// Around what reads or writes a message on its way.
struct HandOver {
  HandOver() { after_receive(); }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() { before_send(); }
};

}  // namespace troupe
