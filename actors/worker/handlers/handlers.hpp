#pragma once

#include "actors/messages/asynchronous.hpp"
#include "actors/messages/build.hpp"
#include "actors/messages/call.hpp"
#include "actors/messages/evaluate.hpp"
#include "actors/messages/lbfgs.hpp"
#include "actors/messages/local.hpp"
#include "actors/messages/settle.hpp"
#include "actors/messages/slabs.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/messages/vectors.hpp"
#include "actors/worker/worker_state.hpp"

namespace troupe {

/// Writes the results of a request into its reply. A handler whose reply carries results must define `answer`; the
/// reply `Done` carries none.
template <class Request, class Reply = typename Request::Reply>
class Answering {
 public:
  virtual ~Answering() = default;

  /// Called after all replicas were successful, on the thread of the replica that finished last.
  virtual void answer(WorkerState& worker, const Request& request, Reply& reply) const = 0;
};
template <class Request>
class Answering<Request, Done> {
 public:
  virtual ~Answering() = default;

  virtual void answer(WorkerState& /*worker*/, const Request& /*request*/, Done& /*reply*/) const {}
};

/// Carries out requests of the type `Request` on a worker. There is one handler for each type of request.
template <class Request>
class Handler : public Answering<Request> {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

  /// Prepares the request. Called once for each request, before `work`, on the thread of the worker's actor.
  virtual void prepare(WorkerState& /*worker*/, const Request& /*request*/) const {}
  /// Returns the number of replicas that take part in the request. They are the first replicas of the worker.
  virtual std::size_t replicas_for(const WorkerState& worker, const Request& /*request*/) const {
    return worker.replicas.size();
  }
  /// Carries out one replica's part of the request. Called once for each replica that takes part, on its thread.
  virtual void work(WorkerState& worker, Replica& replica, const Request& request) const = 0;
  /// Continues the work of this request after the reply was sent. Called on the same thread as `answer`. The next
  /// request may already have arrived.
  /// @param deadline the time until which the driver waits, counted from the arrival of this request
  virtual void follow_up(WorkerState& /*worker*/, const Request& /*request*/, const Deadline& /*deadline*/) const {}
};

/// A handler whose requests are carried out by the first replica only.
template <class Request>
class FirstReplicaHandler : public Handler<Request> {
 public:
  std::size_t replicas_for(const WorkerState& /*worker*/, const Request& /*request*/) const override { return 1; }
};

template <class H>
const H& the() {
  static const H& handler =
      *new H;  // never destroyed, because replicas that hang may still run after main has returned
  return handler;
}

// `handler_of` returns the handler for the request's type. If a type has no handler, its use does not compile. The
// comments below name the source files with the handlers.

// replicas.cpp
const Handler<Build>& handler_of(const Build* kind);
const Handler<Fence>& handler_of(const Fence* kind);
const Handler<Stop>& handler_of(const Stop* kind);

// attachment.cpp
const Handler<MakeSlabs>& handler_of(const MakeSlabs* kind);
const Handler<MapSlabs>& handler_of(const MapSlabs* kind);

// vectors.cpp
const Handler<Initialize>& handler_of(const Initialize* kind);
const Handler<ExportVector>& handler_of(const ExportVector* kind);
const Handler<ImportVector>& handler_of(const ImportVector* kind);

// evaluation.cpp
const Handler<Evaluate>& handler_of(const Evaluate* kind);

// calls.cpp
const Handler<CallModel>& handler_of(const CallModel* kind);
const Handler<CallWorker>& handler_of(const CallWorker* kind);
const Handler<ExportTexts>& handler_of(const ExportTexts* kind);

// synchronous_part.cpp: for the synchronous algorithm, and partly for local SGD
const Handler<Compute>& handler_of(const Compute* kind);
const Handler<ReduceMean>& handler_of(const ReduceMean* kind);
const Handler<Apply>& handler_of(const Apply* kind);
const Handler<FindNonFinite>& handler_of(const FindNonFinite* kind);

// local_part.cpp
const Handler<TakeSteps>& handler_of(const TakeSteps* kind);

// lbfgs_part.cpp
const Handler<ComputePortions>& handler_of(const ComputePortions* kind);
const Handler<Abandon>& handler_of(const Abandon* kind);

// lbfgs_vectors.cpp: for the owners of slices
const Handler<ReduceGradient>& handler_of(const ReduceGradient* kind);
const Handler<MoveAlong>& handler_of(const MoveAlong* kind);
const Handler<Remember>& handler_of(const Remember* kind);

// asynchronous_part.cpp: for asynchronous algorithms
const Handler<Advance>& handler_of(const Advance* kind);
const Handler<Deliver>& handler_of(const Deliver* kind);

}  // namespace troupe
