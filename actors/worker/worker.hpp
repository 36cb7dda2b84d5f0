#pragma once

#include <functional>
#include <memory>
#include <type_traits>

#include "actors/functions/function_host.hpp"
#include "actors/messages/bounds.hpp"
#include "actors/worker/handlers/handlers.hpp"

namespace troupe {

/// Carries out the requests that the actor of a worker receives. Each replica carries out its requests one after the
/// other, in order.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  /// @param creator creates the models, for a worker in the driver's process; workers in other processes look up a
  /// creator by name
  /// @param node the objects that the node shares with its workers; null if the run has no nodes
  Worker(int index, std::shared_ptr<StoreClient> store, CreateModel creator, std::shared_ptr<NodeShare> node = {});

  int index() const { return state_.index; }

  /// Carries out a request of a trainer, for which the worker needs no replicas. See `FunctionHost`.
  template <class Request, class Done>
  requires requires(FunctionHost& functions, const Request& request, Done done) { functions.carry_out(request, done); }
  void carry_out(const Request& request, Done done) { functions_.carry_out(request, done); }

  /// Carries out a request with the handler for its type, and then calls `done` once with the reply (a Request::Reply).
  /// `done` is called on the thread of the replica that finishes last. If the request fails before any replica has
  /// begun, `done` is called on the calling thread.
  template <class Request, class Done>
  void carry_out(const Request& request, Done done) {
    const Handler<Request>& handler = handler_of(static_cast<const Request*>(nullptr));
    const Deadline deadline = deadline_from_now(request);
    try {
      handler.prepare(state_, request);
    } catch (...) {
      return done(reply_to(request, Failure::from(std::current_exception(), ErrorCode::system)));
    }
    on_replicas(
        handler.replicas_for(state_, request), otherwise<Request>(),
        [this, &handler, request](Replica& replica) {
          check_ready<Request>(replica);
          handler.work(state_, replica, request);
        },
        [this, &handler, request, done, deadline](const Failure& failure) {
          auto reply = reply_to(request, failure);
          const bool well = !reply.failure;
          if (well) handler.answer(state_, request, reply);
          done(std::move(reply));
          if (well) handler.follow_up(state_, request, deadline);
        });
  }

 private:
  using Work = std::function<void(Replica&)>;
  using Finish = std::function<void(const Failure&)>;

  template <class Request>
  static typename Request::Reply reply_to(const Request& request, const Failure& failure) {
    typename Request::Reply reply;
    reply.round = request.round;
    reply.failure = failure;
    return reply;
  }
  /// Returns the time until which the driver waits for the reply to `request`, counted from now. If the request has no
  /// timeout, returns a deadline that has already passed.
  template <class Request>
  static Deadline deadline_from_now(const Request& request) {
    if constexpr (requires { request.timeout_ms; })
      return deadline_of(request);
    else
      return Deadline(std::chrono::milliseconds(0));
  }
  /// Returns the error code for exceptions of a handler that are not of type Error and so have no code.
  template <class Request>
  static constexpr ErrorCode otherwise() {
    const bool of_store = std::is_same_v<Request, MakeSlabs> || std::is_same_v<Request, MapSlabs>;
    return of_store ? ErrorCode::store_failed : ErrorCode::model_failed;
  }
  /// Checks that the worker has the model and the slabs that the request needs.
  /// @throws Error protocol if a model or slabs are missing. A driver that follows the protocol never causes this
  /// error.
  template <class Request>
  void check_ready(const Replica& replica) const {
    constexpr bool kAlways =
        std::is_same_v<Request, Build> || std::is_same_v<Request, Fence> || std::is_same_v<Request, Stop>;
    const bool ready = kAlways || (replica.model && (state_.slabs || std::is_same_v<Request, MakeSlabs>));
    if (!ready)
      throw Error(ErrorCode::protocol, "a request in the wrong state: the worker has no model or no slabs yet");
  }
  /// Runs `work` for the first `count` replicas, each on its own thread. When all have finished, calls `finish` with
  /// the first failure, or with an empty failure if all were successful.
  /// @param otherwise the error code for exceptions that have no code
  void on_replicas(std::size_t count, ErrorCode otherwise, Work work, Finish finish);

  WorkerState state_;
  FunctionHost functions_;
};

}  // namespace troupe
