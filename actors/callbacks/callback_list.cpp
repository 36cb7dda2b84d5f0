#include "actors/callbacks/callback_list.hpp"

#include <algorithm>
#include <utility>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

std::optional<double> epoch_of(const Report& report) {
  const auto epoch = report.metrics.find("epoch");
  if (epoch == report.metrics.end() || !epoch->is_number()) return std::nullopt;
  return epoch->get<double>();
}

}  // namespace

CallbackList::CallbackList(Callbacks callbacks) : callbacks_(std::move(callbacks)) {
  if (std::ranges::find(callbacks_, nullptr) != callbacks_.end()) throw_invalid("a callback is null");
}

void CallbackList::start(const RunStart& run) {
  for (const auto& each : callbacks_) each->on_start(run);
}

void CallbackList::report(const Report& report) {
  const auto epoch = epoch_of(report);
  if (epoch && last_ && *epoch > *epoch_of(*last_)) end_epoch(*last_);
  if (epoch) last_ = report;
  for (const auto& each : callbacks_) each->on_report(report);
}

void CallbackList::report(const Report& report, bool epoch_ends) {
  for (const auto& each : callbacks_) each->on_report(report);
  if (epoch_ends) end_epoch(report);
}

void CallbackList::end_epoch(const Report& last) {
  for (const auto& each : callbacks_) each->on_epoch(last);
}

void CallbackList::checkpoint(const CheckpointInfo& checkpoint) {
  for (const auto& each : callbacks_) each->on_checkpoint(checkpoint);
}

void CallbackList::failure_passed(const Error& error) {
  for (const auto& each : callbacks_) each->on_failure(error, /*goes_on=*/true);
}

void CallbackList::failure(const Error& error) {
  for (const auto& each : callbacks_) each->on_failure(error, /*goes_on=*/false);
}

void CallbackList::end(const RunEnd& end) {
  if (last_ && !end.failed) end_epoch(*last_);
  for (const auto& each : callbacks_) each->on_end(end);
}

bool CallbackList::wants_to_stop() const {
  return std::ranges::any_of(callbacks_, [](const auto& each) { return each->wants_to_stop(); });
}

}  // namespace troupe
