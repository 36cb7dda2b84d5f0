#pragma once

#include <cstdint>
#include <string>

#include "cli/run_options.hpp"
#include "cli/train/run/training.hpp"
#include "troupe/report.hpp"
#include "troupe/sgd.hpp"

// Sentences about a run that the command prints.
namespace troupe::cli {

/// Returns the first line: "training mlp on fashion-mnist: 2 workers x 1 devices, in-process, strategy sharded, f32,
/// 100 steps".
std::string hello_text(const CommandOptions& run, const DistributedSGD& sgd, std::int64_t total_steps);

/// Returns the command line that resumes a run that was stopped by a signal, or why there is none.
std::string how_to_go_on(const TrainOptions& options);

/// Describes a loss, its place and its repair.
std::string repair_text(const Repair& repair);

/// Returns a name for a signal that ends programs, such as "an interrupt".
const char* signal_text(int signal);

/// Describes why L-BFGS has ended, and at which objective.
std::string end_text(const StepReport& report);

}  // namespace troupe::cli
