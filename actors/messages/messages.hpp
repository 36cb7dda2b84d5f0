#pragma once

#include <tuple>
#include <vector>

#include "actors/caf.hpp"
#include "actors/messages/asynchronous.hpp"
#include "actors/messages/build.hpp"
#include "actors/messages/call.hpp"
#include "actors/messages/copies.hpp"
#include "actors/messages/evaluate.hpp"
#include "actors/messages/failure.hpp"
#include "actors/messages/function.hpp"
#include "actors/messages/generation.hpp"
#include "actors/messages/join.hpp"
#include "actors/messages/lbfgs.hpp"
#include "actors/messages/local.hpp"
#include "actors/messages/settle.hpp"
#include "actors/messages/slabs.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/messages/transfer.hpp"
#include "actors/messages/vectors.hpp"

// All messages between the driver, nodes and workers. A request is a struct that contains the number of its round. The
// reply (the type `Reply` of the request) contains the same number and a Failure. For each message, the function
// `fields` lists its fields, for code that writes, reads or checks messages. No field is a floating-point number (see
// to_bits).
namespace troupe {

using ToDriver = std::tuple<NodeJoin, Join, Done, Built, Computed, MeanReduced, Applied, Found, Evaluated, Called,
                            Advanced, Pushed, StepsTaken, PortionsComputed, GradientReduced, Moved, Remembered, Heard,
                            CopyBegun, CopyEnded, PiecesMoved>;
using ToNode =
    std::tuple<StartWorker, BeginGeneration, BeginGroup, Connect, Publish, CreateTransfer, ExpectTransfer, EndTransfer,
               SendTransfer, DropTransfers, ExpectPlaced, Place, ClearState, ExpectSlices, GatherSlices, Push,
               ShareWeights, BeginCopy, SendCopy, EndCopy, ExpectPieces, MovePieces, DropCopies>;
/// The messages of every step come first, because CAF compares a message with these types one after the other.
using ToWorker = std::tuple<Compute, ReduceMean, Apply, Advance, Deliver, TakeSteps, ComputePortions, ReduceGradient,
                            MoveAlong, Remember, Abandon, FindNonFinite, Build, MakeSlabs, MapSlabs, Fence, Stop,
                            Initialize, ExportVector, ImportVector, Evaluate, CallModel, CallWorker, ExportTexts,
                            StartFunction, ProvideCheckpoint, Listen, StopFunction>;

template <class T>
T& unbounded(T& field) {
  return field;
}
template <class T, Bound kBound>
T& unbounded(Bounded<T, kBound>& field) {
  return field.value;
}

struct IgnoreFields {
  template <class... Field>
  void operator()(Field&&... /*fields*/) const {}
};
template <class T>
concept HasFields = requires(T& value) {
  fields(value, IgnoreFields());
};

/// Returns the kind of limit of a field, as `fields` passes the field.
template <class T>
constexpr Bound bound_of(const T& /*field*/) {
  return Bound::text;
}
template <class T, Bound kBound>
constexpr Bound bound_of(const Bounded<T, kBound>& /*field*/) {
  return kBound;
}

/// Passes the fields of a message to CAF's `inspector`. CAF calls this function to write and read messages, on its own
/// threads.
template <class Inspector, HasFields Message>
typename Inspector::result_type inspect(Inspector& inspector, Message& message) {
  const HandOver hand_over;
  return fields(message, [&](auto&&... each) { return inspector(unbounded(each)...); });
}

}  // namespace troupe

CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(troupe, (troupe::Failure))
CAF_ADD_TYPE_ID(troupe, (troupe::Strategy))
CAF_ADD_TYPE_ID(troupe, (troupe::Topology))
CAF_ADD_TYPE_ID(troupe, (troupe::StateShape))
CAF_ADD_TYPE_ID(troupe, (troupe::PlanRequest))
CAF_ADD_TYPE_ID(troupe, (troupe::ReplicaTraits))
CAF_ADD_TYPE_ID(troupe, (troupe::NonFinite))
CAF_ADD_TYPE_ID(troupe, (troupe::PeerNode))
CAF_ADD_TYPE_ID(troupe, (troupe::NodeJoin))
CAF_ADD_TYPE_ID(troupe, (troupe::Join))
CAF_ADD_TYPE_ID(troupe, (troupe::Done))
CAF_ADD_TYPE_ID(troupe, (troupe::Built))
CAF_ADD_TYPE_ID(troupe, (troupe::Computed))
CAF_ADD_TYPE_ID(troupe, (troupe::MeanReduced))
CAF_ADD_TYPE_ID(troupe, (troupe::Applied))
CAF_ADD_TYPE_ID(troupe, (troupe::Found))
CAF_ADD_TYPE_ID(troupe, (troupe::Evaluated))
CAF_ADD_TYPE_ID(troupe, (troupe::Called))
CAF_ADD_TYPE_ID(troupe, (troupe::StartWorker))
CAF_ADD_TYPE_ID(troupe, (troupe::BeginGeneration))
CAF_ADD_TYPE_ID(troupe, (troupe::Connect))
CAF_ADD_TYPE_ID(troupe, (troupe::Publish))
CAF_ADD_TYPE_ID(troupe, (troupe::CreateTransfer))
CAF_ADD_TYPE_ID(troupe, (troupe::ExpectTransfer))
CAF_ADD_TYPE_ID(troupe, (troupe::EndTransfer))
CAF_ADD_TYPE_ID(troupe, (troupe::SendTransfer))
CAF_ADD_TYPE_ID(troupe, (troupe::DropTransfers))
CAF_ADD_TYPE_ID(troupe, (troupe::ExpectPlaced))
CAF_ADD_TYPE_ID(troupe, (troupe::Place))
CAF_ADD_TYPE_ID(troupe, (troupe::ClearState))
CAF_ADD_TYPE_ID(troupe, (troupe::ExpectSlices))
CAF_ADD_TYPE_ID(troupe, (troupe::GatherSlices))
CAF_ADD_TYPE_ID(troupe, (troupe::Build))
CAF_ADD_TYPE_ID(troupe, (troupe::MakeSlabs))
CAF_ADD_TYPE_ID(troupe, (troupe::MapSlabs))
CAF_ADD_TYPE_ID(troupe, (troupe::Fence))
CAF_ADD_TYPE_ID(troupe, (troupe::Stop))
CAF_ADD_TYPE_ID(troupe, (troupe::Initialize))
CAF_ADD_TYPE_ID(troupe, (troupe::ExportVector))
CAF_ADD_TYPE_ID(troupe, (troupe::ImportVector))
CAF_ADD_TYPE_ID(troupe, (troupe::Evaluate))
CAF_ADD_TYPE_ID(troupe, (troupe::CallModel))
CAF_ADD_TYPE_ID(troupe, (troupe::CallWorker))
CAF_ADD_TYPE_ID(troupe, (troupe::ExportTexts))
CAF_ADD_TYPE_ID(troupe, (troupe::Compute))
CAF_ADD_TYPE_ID(troupe, (troupe::ReduceMean))
CAF_ADD_TYPE_ID(troupe, (troupe::Apply))
CAF_ADD_TYPE_ID(troupe, (troupe::FindNonFinite))
CAF_ADD_TYPE_ID(troupe, (troupe::StepsTaken))
CAF_ADD_TYPE_ID(troupe, (troupe::TakeSteps))
CAF_ADD_TYPE_ID(troupe, (troupe::PortionsComputed))
CAF_ADD_TYPE_ID(troupe, (troupe::ComputePortions))
CAF_ADD_TYPE_ID(troupe, (troupe::Abandon))
CAF_ADD_TYPE_ID(troupe, (troupe::GradientReduced))
CAF_ADD_TYPE_ID(troupe, (troupe::ReduceGradient))
CAF_ADD_TYPE_ID(troupe, (troupe::Moved))
CAF_ADD_TYPE_ID(troupe, (troupe::MoveAlong))
CAF_ADD_TYPE_ID(troupe, (troupe::Remembered))
CAF_ADD_TYPE_ID(troupe, (troupe::Remember))
CAF_ADD_TYPE_ID(troupe, (troupe::Advanced))
CAF_ADD_TYPE_ID(troupe, (troupe::Advance))
CAF_ADD_TYPE_ID(troupe, (troupe::Pushed))
CAF_ADD_TYPE_ID(troupe, (troupe::Push))
CAF_ADD_TYPE_ID(troupe, (troupe::Deliver))
CAF_ADD_TYPE_ID(troupe, (troupe::ShareWeights))
CAF_ADD_TYPE_ID(troupe, (troupe::StartFunction))
CAF_ADD_TYPE_ID(troupe, (troupe::ProvideCheckpoint))
CAF_ADD_TYPE_ID(troupe, (troupe::Heard))
CAF_ADD_TYPE_ID(troupe, (troupe::Listen))
CAF_ADD_TYPE_ID(troupe, (troupe::StopFunction))
CAF_ADD_TYPE_ID(troupe, (troupe::BeginGroup))
CAF_ADD_TYPE_ID(troupe, (troupe::OfferedCopy))
CAF_ADD_TYPE_ID(troupe, (troupe::CopyBegun))
CAF_ADD_TYPE_ID(troupe, (troupe::BeginCopy))
CAF_ADD_TYPE_ID(troupe, (troupe::SendCopy))
CAF_ADD_TYPE_ID(troupe, (troupe::CopyEnded))
CAF_ADD_TYPE_ID(troupe, (troupe::EndCopy))
CAF_ADD_TYPE_ID(troupe, (troupe::CopyPiece))
CAF_ADD_TYPE_ID(troupe, (troupe::ExpectPieces))
CAF_ADD_TYPE_ID(troupe, (troupe::PiecesMoved))
CAF_ADD_TYPE_ID(troupe, (troupe::MovePieces))
CAF_ADD_TYPE_ID(troupe, (troupe::DropCopies))
CAF_END_TYPE_ID_BLOCK(troupe)
