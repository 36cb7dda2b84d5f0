#pragma once

#include <cstdint>
#include <string>

#include "cli/run_options.hpp"
#include "cli/train/run/training.hpp"
#include "troupe/report.hpp"
#include "troupe/sgd.hpp"

// This file declares functions that return sentences about a run, which `train` prints.
namespace troupe::cli {

/// Returns the first line that `train` prints, such as "training mlp on fashion-mnist: 2 workers x 1 devices,
/// in-process, strategy sharded, f32, 100 steps".
std::string hello_text(const CommandOptions& run, const DistributedSGD& sgd, std::int64_t total_steps);

/// Returns a text for a run that a signal has stopped: the command line that resumes the run, or the reason why the run
/// cannot be resumed.
std::string how_to_go_on(const TrainOptions& options);

/// Returns a sentence about a repair: which worker or node was lost, in which phase this happened, and how the run was
/// repaired.
std::string repair_text(const Repair& repair);

/// Returns a name of a signal of kEndingSignals for messages, such as "an interrupt".
const char* signal_text(int signal);

/// Returns a sentence with the reason why L-BFGS has ended, and the final value of its objective.
/// @param report the report of the last step
std::string end_text(const StepReport& report);

}  // namespace troupe::cli
