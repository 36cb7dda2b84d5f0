#include "actors/tune/tune_functions.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/processes/cores.hpp"
#include "troupe/error.hpp"
#include "troupe/trainer.hpp"
#include "troupe/tune.hpp"

namespace troupe_test {
namespace {

using troupe::here;
using troupe::Json;

/// Returns whether this process is one of the first `times` that call this function.
bool is_among_first(const Json& config) {
  namespace fs = std::filesystem;
  const std::string folder = config.at("marks");
  const auto others = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  std::ofstream(folder + '/' + std::to_string(::getpid()));
  return others < config.value("times", 1);
}

void make_trouble(const Json& config) {
  const std::string trouble = config.value("trouble", "");
  if (trouble == "throw") throw std::runtime_error("out of luck");
  if (trouble.empty() || !is_among_first(config)) return;
  if (trouble == "die") ::kill(::getpid(), SIGKILL);
  while (trouble == "hang") ::pause();
  if (trouble == "exit") ::_exit(3);
  if (trouble == "eat") {
    std::vector<std::vector<char>> eaten;
    for (;;) eaten.emplace_back(std::size_t{64} << 20, 'x');
  }
}

double loss_of(const Json& config, std::int64_t step) {
  return std::abs(config.at("lr").get<double>() - 0.3) + 1 / static_cast<double>(step);
}

std::atomic<bool> asked_to_end{false};  ///< set by another thread than the function's

/// On SIGTERM, writes a file and ends. With "deaf" it ignores the signal.
Json end_politely(const Json& config) {
  ::signal(SIGTERM, [](int) { asked_to_end = true; });
  for (std::int64_t step = 1; step <= 100'000; ++step) {
    troupe::tune::report({{"loss", config.at("lr").get<double>()}, {"step", step}});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!asked_to_end || config.value("deaf", false)) continue;
    std::ofstream(troupe::tune::trial_folder() + "/saved") << step;
    return {{"steps", step}};
  }
  return {};
}

Json tune(const Json& config) {
  std::int64_t step = 0;
  if (const auto checkpoint = here().load_checkpoint()) step = checkpoint->state.at("step");
  while (step < config.value("steps", 3)) {
    ++step;
    if (step == config.value("at", 2)) make_trouble(config);
    troupe::tune::report({{"loss", loss_of(config, step)}, {"step", step}});
    if (config.value("save", false)) here().save_checkpoint({{"step", step}});
  }
  return {{"steps", step}};
}

void nested(const Json& config) {
  troupe::Trainer trainer{{.num_workers = 2}};
  trainer.run([](const Json& given) { return tune(given); }, config, {.callbacks = {troupe::tune::pass_on()}});
}

/// Runs long enough for other trials to run at the same time.
void cores() {
  int score = 0;
  std::ifstream("/proc/self/oom_score_adj") >> score;
  here().report({{"loss", 0},
                 {"cores", troupe::usable_cores()},
                 {"first", troupe::usable_core_numbers().front()},
                 {"score", score}});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

Json rows(const Json& config) {
  const auto shard = here().dataset().shard();
  here().report({{"loss", 0}, {"samples", shard.num_samples()}, {"size", shard.info().sample_size()}});
  return config;
}

}  // namespace

void register_tune_functions() {
  troupe::register_function("end politely", end_politely);
  troupe::register_function("tune", tune);
  troupe::register_function("tune nested", nested);
  troupe::register_function("tune cores", cores);
  troupe::register_function("tune rows", rows);
}

}  // namespace troupe_test
