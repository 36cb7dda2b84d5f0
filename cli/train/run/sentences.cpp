#include "cli/train/run/sentences.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <vector>

#include "actors/driver/forming/precision_decision.hpp"
#include "cli/train/command_line.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe::cli {
namespace {

const char* how_text(const Repair& repair) {
  if (repair.redistributed) return "its shards redistributed";
  return repair.worker < 0 ? "formed again" : "replaced";
}

const char* why_text(LbfgsEnd end) {
  if (end == LbfgsEnd::converged) return "converged";
  if (end == LbfgsEnd::budget) return "a line search has used up its evaluations";
  return "no smaller loss can be found at this precision";
}

}  // namespace

std::string hello_text(const CommandOptions& run, const DistributedSGD& sgd, std::int64_t total_steps) {
  const Options& o = run.sgd;
  const bool shared = run.placement != "cluster" && sgd.num_workers() > usable_cores();
  const std::string cores = shared ? " that share " + std::to_string(usable_cores()) + " cores" : "";
  return "training " + run.model_text() + " on " + run.data.value_or("its own data") + ": " +
         std::to_string(sgd.num_workers()) + " workers" + cores + " x " + std::to_string(o.compute.devices_per_worker) +
         " devices" + (o.compute.device == Device::cpu ? "" : " of CUDA") + ", " + run.placement + ", strategy " +
         to_string(o.gradients.strategy) + ", " + precision_text(sgd.precision_choice()) + ", " +
         std::to_string(total_steps) + " steps";
}

std::string how_to_go_on(const TrainOptions& options) {
  const auto line = [](const std::vector<std::string>& more) { return "\n  " + command_line_with(more); };
  if (!options.checkpoint.folder.empty()) {
    const bool records = !options.run.algorithm.record().empty();
    return (records ? "to resume, with another --record FILE:" : "to resume:") + line({"--resume"});
  }
  const std::string hint = "with --checkpoint DIR, training can be stopped and resumed at any step";
  if (options.save.empty()) return "nothing is saved: " + hint;
  return "to start a run with these weights (" + hint + "):" + line({"--load", options.save});
}

std::string repair_text(const Repair& repair) {
  // If a node was lost, `repair.worker` is negative, and the sentence contains no worker.
  const std::string worker = repair.worker < 0 ? "" : "worker " + std::to_string(repair.worker) + ", ";
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.3f", repair.seconds);
  std::string text = repair.what + " (" + worker + "node " + repair.node + ", phase " + repair.phase + "); " +
                     how_text(repair) + " in " + seconds.data() + " s";
  if (repair.replayed > 0) text += ", with " + std::to_string(repair.replayed) + " steps repeated";
  return text;
}

const char* signal_text(int signal) {
  if (signal == SIGINT) return "an interrupt";
  return signal == SIGHUP ? "SIGHUP" : "SIGTERM";
}

std::string end_text(const StepReport& report) {
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "objective %.9g, largest float of the gradient %.3g",
                report.lbfgs.objective, report.lbfgs.largest);
  return "after step " + std::to_string(report.step) + ": " + why_text(report.lbfgs.end) + "; " + numbers.data();
}

}  // namespace troupe::cli
