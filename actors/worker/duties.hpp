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

// What a worker does for each request, in up to five functions that are told apart by the request:
//   prepare       on the actor's thread, before anything else
//   replicas_for  how many replicas take part, the first ones
//   work          on the thread of each of them
//   answer        fills in the reply, on the thread of the replica that finished last, when all went well
//   follow_up     on that thread, after the reply has left, when the next request may be there already; the driver's
//                 deadline counts from when this one came
// Those that a request does not need are these:
namespace troupe {

template <class Request>
void prepare(WorkerState& /*worker*/, const Request& /*request*/) {}
template <class Request>
std::size_t replicas_for(const WorkerState& worker, const Request& /*request*/) {
  return worker.replicas.size();
}
template <class Request>
void work(WorkerState& /*worker*/, Replica& /*replica*/, const Request& /*request*/) {}
template <class Request>
void answer(WorkerState& /*worker*/, const Request& /*request*/, typename Request::Reply& /*reply*/) {}
template <class Request>
void follow_up(WorkerState& /*worker*/, const Request& /*request*/, const Deadline& /*deadline*/) {}

// replicas.cpp
void prepare(WorkerState& worker, const Build& request);
void work(WorkerState& worker, Replica& replica, const Build& request);
void answer(WorkerState& worker, const Build& request, Built& built);
void work(WorkerState& worker, Replica& replica, const Stop& request);

/// The last round is over, whoever still works for it.
inline void prepare(WorkerState& worker, const Fence& request) { worker.newest_round = request.round; }
inline void prepare(WorkerState& worker, const Stop& request) { worker.newest_round = request.round; }

// attachment.cpp
inline std::size_t replicas_for(const WorkerState& /*worker*/, const MakeSlabs& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const MakeSlabs& request);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const MapSlabs& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const MapSlabs& request);

// vectors.cpp
inline std::size_t replicas_for(const WorkerState& /*worker*/, const Initialize& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const Initialize& request);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const ExportVector& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const ExportVector& request);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const ImportVector& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const ImportVector& request);

// evaluation.cpp
void prepare(WorkerState& worker, const Evaluate& request);
void work(WorkerState& worker, Replica& replica, const Evaluate& request);
void answer(WorkerState& worker, const Evaluate& request, Evaluated& evaluated);

// calls.cpp
void prepare(WorkerState& worker, const CallModel& request);
std::size_t replicas_for(const WorkerState& worker, const CallModel& request);
void work(WorkerState& worker, Replica& replica, const CallModel& request);
void answer(WorkerState& worker, const CallModel& request, Called& called);
void prepare(WorkerState& worker, const CallWorker& request);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const CallWorker& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const CallWorker& request);
void answer(WorkerState& worker, const CallWorker& request, Called& called);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const ExportTexts& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const ExportTexts& request);

// synchronous_part.cpp: the synchronous algorithm's
void prepare(WorkerState& worker, const Compute& request);
void work(WorkerState& worker, Replica& replica, const Compute& request);
void answer(WorkerState& worker, const Compute& request, Computed& computed);
void follow_up(WorkerState& worker, const Compute& request, const Deadline& deadline);
void prepare(WorkerState& worker, const ReduceMean& request);
void work(WorkerState& worker, Replica& replica, const ReduceMean& request);
void answer(WorkerState& worker, const ReduceMean& request, MeanReduced& reduced);
void prepare(WorkerState& worker, const Apply& request);
void work(WorkerState& worker, Replica& replica, const Apply& request);
void answer(WorkerState& worker, const Apply& request, Applied& applied);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const FindNonFinite& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const FindNonFinite& request);
void answer(WorkerState& worker, const FindNonFinite& request, Found& found);

// local_part.cpp: of local SGD, beside Apply
void prepare(WorkerState& worker, const TakeSteps& request);
void work(WorkerState& worker, Replica& replica, const TakeSteps& request);
void answer(WorkerState& worker, const TakeSteps& request, StepsTaken& taken);
void follow_up(WorkerState& worker, const TakeSteps& request, const Deadline& deadline);

// lbfgs_part.cpp: of L-BFGS; what owners of slices do is in lbfgs_vectors.cpp
void prepare(WorkerState& worker, const ComputePortions& request);
std::size_t replicas_for(const WorkerState& worker, const ComputePortions& request);
void work(WorkerState& worker, Replica& replica, const ComputePortions& request);
void answer(WorkerState& worker, const ComputePortions& request, PortionsComputed& computed);
void prepare(WorkerState& worker, const Abandon& request);
void prepare(WorkerState& worker, const ReduceGradient& request);
void work(WorkerState& worker, Replica& replica, const ReduceGradient& request);
void answer(WorkerState& worker, const ReduceGradient& request, GradientReduced& reduced);
void work(WorkerState& worker, Replica& replica, const MoveAlong& request);
void answer(WorkerState& worker, const MoveAlong& request, Moved& moved);
void work(WorkerState& worker, Replica& replica, const Remember& request);
void answer(WorkerState& worker, const Remember& request, Remembered& remembered);

// asynchronous_part.cpp: of algorithms on whose replicas run on their own clocks
void prepare(WorkerState& worker, const Advance& request);
void work(WorkerState& worker, Replica& replica, const Advance& request);
void answer(WorkerState& worker, const Advance& request, Advanced& advanced);
inline std::size_t replicas_for(const WorkerState& /*worker*/, const Deliver& /*request*/) { return 1; }
void work(WorkerState& worker, Replica& replica, const Deliver& request);
void answer(WorkerState& worker, const Deliver& request, Pushed& pushed);

}  // namespace troupe
