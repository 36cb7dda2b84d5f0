#pragma once

// Only this header and the few files that include it use CAF. They are written for CAF 0.17. CAF 1.x names the
// following differently: the inspect functions and the type block of messages.hpp (`f.object(x).fields(...)`, no
// atoms), `send`, `send_as` and `anon_send` (`mail(...).send(to)`), monitors (a callback in place of `down_msg`), and
// the prefix of configuration keys ("caf.").

#include <atomic>
#include <caf/all.hpp>
#include <caf/io/all.hpp>

static_assert(CAF_MAJOR_VERSION == 0, "the changes for CAF 1.x are listed in actors/caf.hpp");

namespace troupe {

// A receiver may read everything that the sender wrote before it sent or spawned. CAF guarantees this order, but its
// libraries are not instrumented, so these functions declare the order to ThreadSanitizer.
#if defined(__SANITIZE_THREAD__)
void before_send();
void after_receive();
#else
inline void before_send() {}
inline void after_receive() {}
#endif

/// Clears CAF's reference to the system's logger on destruction. Declare an object of this type wherever a user's
/// thread makes an actor system or an object in it. CAF keeps the logger for such a thread until the thread ends, and
/// the end of the system waits for that. The system may end earlier or on another thread; a static system may end after
/// the thread's own copy was destroyed.
struct ForgetsLogger {
  ForgetsLogger() = default;
  ForgetsLogger(const ForgetsLogger&) = delete;
  ForgetsLogger& operator=(const ForgetsLogger&) = delete;
  ~ForgetsLogger() { caf::logger::set_current_actor_system(nullptr); }
};

/// Orders the turns of an actor for ThreadSanitizer. A turn is the actor's start or one request. Each turn happens
/// after the turn before, on whichever threads they run, and after its message was sent or the actor was spawned.
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

/// Makes a message of `content`. All writes that the receiver may read happen before this call.
template <class Content>
caf::message ready_to_send(Content content) {
  caf::message message = caf::make_message(std::move(content));
  before_send();
  return message;
}

/// Encloses code that reads or writes a message in transit.
struct HandOver {
  HandOver() { after_receive(); }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() { before_send(); }
};

}  // namespace troupe
