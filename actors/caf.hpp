#pragma once

// Only this header and the few files that include it use CAF. They are written for CAF 0.17. CAF 1.x has other names
// for the following:
// - the inspect functions and the type block of messages.hpp (`f.object(x).fields(...)`, no atoms)
// - `send`, `send_as` and `anon_send` (`mail(...).send(to)`)
// - monitors (a callback in place of `down_msg`)
// - the prefix of configuration keys ("caf.")

#include <atomic>
#include <caf/all.hpp>
#include <caf/io/all.hpp>

static_assert(CAF_MAJOR_VERSION == 0, "the changes for CAF 1.x are listed in actors/caf.hpp");

namespace troupe {

// The receiver of a message may read everything that the sender wrote before it sent the message. A new actor may read
// everything that was written before it was spawned. CAF guarantees this order, but ThreadSanitizer cannot detect the
// guarantee, because CAF's libraries are not instrumented. Therefore these two functions declare the order to
// ThreadSanitizer. Call `before_send` before a message is sent or an actor is spawned, and `after_receive` before a
// received message is read. In builds without ThreadSanitizer, both functions do nothing.
#if defined(__SANITIZE_THREAD__)
void before_send();
void after_receive();
#else
inline void before_send() {}
inline void after_receive() {}
#endif

/// On destruction, clears the calling thread's reference to the logger of an actor system. CAF sets this thread-local
/// reference when the thread creates an actor system, or an object in an actor system, and keeps it until the thread
/// ends. The destructor of an actor system waits until no thread has such a reference, so it could block for as long as
/// a user's thread lives. Therefore declare a `ForgetsLogger` wherever a user's thread creates an actor system or an
/// object in one.
///
/// The reference cannot be cleared later, when the actor system ends, for two reasons: the system may end on another
/// thread. Or, if the system is static, it ends after the thread-local reference was destroyed.
struct ForgetsLogger {
  ForgetsLogger() = default;
  ForgetsLogger(const ForgetsLogger&) = delete;
  ForgetsLogger& operator=(const ForgetsLogger&) = delete;
  ~ForgetsLogger() { caf::logger::set_current_actor_system(nullptr); }
};

/// Declares the order of an actor's turns to ThreadSanitizer. A turn is the actor's start or the handling of one
/// request. Each turn happens after the previous turn of the actor, even if the two turns run on different threads. A
/// turn that handles a request also happens after the request was sent. The start happens after the actor was spawned.
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

/// Returns a message that contains `content`. Call this function after all writes that the receiver may read.
template <class Content>
caf::message ready_to_send(Content content) {
  caf::message message = caf::make_message(std::move(content));
  before_send();
  return message;
}

/// Declares to ThreadSanitizer that the enclosing scope reads or writes a message on its way from one actor to another:
/// after the message was sent, and before it is received.
struct HandOver {
  HandOver() { after_receive(); }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() { before_send(); }
};

}  // namespace troupe
