#pragma once

#include <cstdint>
#include <string>

#include "cli/run_options.hpp"
#include "cli/train/run/training.hpp"
#include "troupe/report.hpp"
#include "troupe/sgd.hpp"

// Sentences about a run that the command prints.
namespace troupe::cli {

/// Returns the first line that `train` prints, such as "training mlp on fashion-mnist: 2 workers x 1 devices,
/// in-process, strategy sharded, f32, 100 steps".
std::string hello_text(const CommandOptions& run, const DistributedSGD& sgd, std::int64_t total_steps);

/// For a run that a signal has stopped: returns the command line that resumes the run, or, if it cannot be resumed,
/// why.
std::string how_to_go_on(const TrainOptions& options);

/// Returns a sentence that describes the loss of a worker or node, where and in which phase it happened, and the
/// repair.
std::string repair_text(const Repair& repair);

/// Returns a name for one of the signals of kEndingSignals, such as "an interrupt".
const char* signal_text(int signal);

/// Returns a sentence that tells why L-BFGS has ended, and the final value of its objective.
std::string end_text(const StepReport& report);

}  // namespace troupe::cli
