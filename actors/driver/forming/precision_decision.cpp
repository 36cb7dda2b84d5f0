#include "actors/driver/forming/precision_decision.hpp"

#include <algorithm>

#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/messages/failure.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

PrecisionSeconds measured_by(const ReplicaTraits& replica) {
  return {from_bits(replica.f32_seconds_bits), from_bits(replica.bf16_seconds_bits)};
}

bool has_bf16(const ReplicaTraits& replica) {
  return static_cast<Precision>(replica.precision) == Precision::bf16 || measured_by(replica).known();
}

/// Returns the time of bf16 divided by the time of f32, as a text with two decimals.
std::string ratio_of(const PrecisionSeconds& measured) { return fixed_text(measured.bf16 / measured.f32, 2); }

}  // namespace

PrecisionDecision::PrecisionDecision(const Options& options)
    : choice_{.asked = options.compute.precision, .computed = options.compute.precision},
      open_(options.compute.precision == Precision::bf16 && options.compute.precision_check) {
  if (!open_) return;
  if (const auto computed = precision_to_resume(options)) follow(*computed);
}

void PrecisionDecision::follow(Precision computed) {
  choice_.computed = computed;
  choice_.resumed = true;
  open_ = false;
}

void PrecisionDecision::decide(const std::vector<ReplicaTraits>& replicas) {
  open_ = false;
  if (!std::ranges::all_of(replicas, has_bf16)) {
    choice_.computed = Precision::f32;
    return;
  }
  PrecisionSeconds& slowest = choice_.measured;
  for (const ReplicaTraits& replica : replicas) {
    const PrecisionSeconds measured = measured_by(replica);
    slowest = {std::max(slowest.f32, measured.f32), std::max(slowest.bf16, measured.bf16)};
  }
  choice_.computed = slowest.faster();
}

PrecisionChoice PrecisionDecision::choice(Precision computed) const {
  PrecisionChoice choice = choice_;
  choice.computed = computed;
  return choice;
}

void note_precision(const PrecisionChoice& choice) {
  if (choice.asked != Precision::bf16 || choice.computed != Precision::f32) return;
  const std::string all_the_same = " (to compute in bf16 anyway: precision_check = false, --no-precision-check)";
  std::string text = "the model does not support bf16 on this machine; computing in f32";
  if (choice.resumed) text = "computing in f32, as the checkpoint's run did" + all_the_same;
  if (choice.measured.known())
    text = "bf16 takes " + ratio_of(choice.measured) + " times as long as f32 here; computing in f32" + all_the_same;
  log_line(LogLevel::warning, text);
}

std::string precision_text(const PrecisionChoice& choice) {
  std::string name = to_string(choice.computed);
  if (!choice.measured.known()) return name;
  const std::string ratio = ratio_of(choice.measured);
  return name + (choice.computed == Precision::bf16 ? " (" : " (bf16 takes ") + ratio + " of f32's time)";
}

}  // namespace troupe
