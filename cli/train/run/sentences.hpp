#pragma once

#include <cstdint>
#include <string>

#include "cli/run_options.hpp"
#include "cli/train/run/training.hpp"
#include "troupe/report.hpp"
#include "troupe/sgd.hpp"

// What the command says of a run.
namespace troupe::cli {

/// What begins: "training mlp on fashion-mnist: 2 workers x 1 devices, in-process, strategy sharded, f32, 100 steps".
std::string hello_text(const CommandOptions& run, const DistributedSGD& sgd, std::int64_t total_steps);

/// With which command line a run goes on that a signal has stopped, or why none does.
std::string how_to_go_on(const TrainOptions& options);

/// What was lost, where, and how it was made good.
std::string repair_text(const Repair& repair);

/// Of one that ends programs: "an interrupt", or its name.
const char* signal_text(int signal);

/// Why L-BFGS has ended, and where.
std::string end_text(const StepReport& report);

}  // namespace troupe::cli
