#include "actors/callbacks/callback_list.hpp"

#include <algorithm>
#include <utility>

#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

std::optional<double> epoch_of(const Report& report) {
  const auto epoch = report.metrics.find("epoch");
  if (epoch == report.metrics.end() || !epoch->is_number()) return std::nullopt;
  return epoch->get<double>();
}

template <class Tell>
void tell_quietly(const Callbacks& callbacks, const std::string& when, const Tell& tell) noexcept {
  for (const auto& each : callbacks) try {
      tell(*each);
    } catch (const std::exception& error) {
      log_line(LogLevel::warning, printable("a callback failed " + when + ": " + error.what()));
    } catch (...) {
      log_line(LogLevel::warning, "a callback failed " + when);
    }
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

void CallbackList::failure(const Error& error) noexcept {
  tell_quietly(callbacks_, "while it handled a failure", [&](Callback& each) { each.on_failure(error, false); });
}

void CallbackList::end(const RunEnd& end) {
  if (last_ && !end.failed) end_epoch(*last_);
  for (const auto& each : callbacks_) each->on_end(end);
}

void CallbackList::close(const RunEnd& end) noexcept {
  const char* const when = "at the end of the run";
  if (last_ && !end.failed) tell_quietly(callbacks_, when, [&](Callback& each) { each.on_epoch(*last_); });
  tell_quietly(callbacks_, when, [&](Callback& each) { each.on_end(end); });
}

bool CallbackList::wants_to_stop() const {
  return std::ranges::any_of(callbacks_, [](const auto& each) { return each->wants_to_stop(); });
}

}  // namespace troupe
