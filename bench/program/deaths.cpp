#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "cli/run_options.hpp"
#include "runtime/clock.hpp"
#include "runtime/hash.hpp"
#include "runtime/random.hpp"

namespace troupe::bench {
namespace {

struct DeathsOptions {
  cli::CommandOptions run;
  int deaths = 100;
  int steps_between = 0;
  bool stop = false;
  bool json = false;
};

/// Seconds since the signal.
struct Death {
  double noticed = 0;         ///< until the driver detected the loss
  double replaced = 0;        ///< from the detection until a new worker was in place
  double committed = 0;       ///< until the step was committed
  std::int64_t replayed = 0;  ///< steps that were repeated after the loss of a node
};

/// Sends a signal to a process after a delay and reports the time of the signal.
class Killer {
 public:
  Killer(pid_t pid, int signal, std::chrono::duration<double> after)
      : thread_([this, pid, signal, after] {
          std::this_thread::sleep_for(after);
          at_ = Clock::now();
          ::kill(pid, signal);
        }) {}
  Clock::time_point at() {
    thread_.join();
    return at_;
  }

 private:
  Clock::time_point at_;
  std::thread thread_;
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

class Deaths {
 public:
  explicit Deaths(const DeathsOptions& options) : options_(options), sgd_(options.run.start()) {
    constexpr int kWarm = 10;
    std::vector<double> steps;
    steps.reserve(kWarm);
    for (int step = 0; step < kWarm; ++step) steps.push_back(sgd_.step().seconds.step);
    step_ = median(steps);
    if (options.run.placement == "cluster" && options.run.sgd.fault_tolerance.copy_every >= 0)
      while (sgd_.step().copies.step < 0) {
      }  // a death before the first copy would end the run
  }

  int workers() const { return sgd_.num_workers(); }
  /// Returns the seconds of an undisturbed step.
  double step() const { return step_; }
  std::int64_t steps_done() const { return sgd_.steps_done(); }
  std::string hash() {
    std::string hash;
    sgd_.read_weights([&](std::span<const float> weights) { hash = sha256_hex(std::as_bytes(weights)); });
    return hash;
  }

  /// Kills or stops a random worker at a random moment of a step.
  Death one() {
    for (std::uint64_t left = random_.below(static_cast<std::uint64_t>(options_.steps_between) + 1); left > 0; --left)
      sgd_.step();
    const auto pids = sgd_.worker_pids();
    const pid_t victim = pids[random_.below(pids.size())];
    constexpr std::uint64_t kMoments = 1'000'000;
    const double moment = step_ * static_cast<double>(random_.below(kMoments)) / static_cast<double>(kMoments);
    Killer killer(victim, options_.stop ? SIGSTOP : SIGKILL, std::chrono::duration<double>(moment));
    StepReport report = sgd_.step();
    auto committed = Clock::now();
    const auto killed = killer.at();
    // If the victim has already answered, the next step detects the loss.
    while (report.repairs.empty()) {
      report = sgd_.step();
      committed = Clock::now();
    }
    Death death;
    death.committed = seconds_between(killed, committed);
    for (const Repair& repair : report.repairs) {
      death.replaced += repair.seconds;
      death.replayed += repair.replayed;
    }
    death.noticed = death.committed - death.replaced - report.seconds.step;
    death.replaced -= static_cast<double>(death.replayed) * step_;
    return death;
  }

 private:
  const DeathsOptions& options_;
  DistributedSGD sgd_;
  Random random_{1};
  double step_ = 0;
};

nlohmann::ordered_json distribution(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t last = values.size() - 1;
  return {{"median", values[values.size() / 2]},
          {"p99", values[(values.size() * 99 + 99) / 100 - 1]},
          {"max", values[last]}};
}

void print(const char* what, const nlohmann::ordered_json& seconds) {
  std::printf("%-44s %.4f s, p99 %.4f s, most %.4f s\n", what, seconds["median"].get<double>(),
              seconds["p99"].get<double>(), seconds["max"].get<double>());
}

void measure_deaths(const DeathsOptions& options) {
  Deaths deaths(options);
  std::vector<double> noticed;
  std::vector<double> replaced;
  std::vector<double> beyond;
  std::int64_t replayed = 0;
  for (int i = 0; i < options.deaths; ++i) {
    const Death death = deaths.one();
    noticed.push_back(death.noticed);
    replaced.push_back(death.replaced);
    beyond.push_back(death.committed - static_cast<double>(death.replayed + 1) * deaths.step());
    replayed += death.replayed;
  }
  const nlohmann::ordered_json result{{"model", options.run.model},
                                      {"workers", deaths.workers()},
                                      {"deaths", options.deaths},
                                      {"step_seconds", deaths.step()},
                                      {"noticed_seconds", distribution(noticed)},
                                      {"replaced_seconds", distribution(replaced)},
                                      {"committed_beyond_a_step_seconds", distribution(beyond)},
                                      {"replayed_steps", replayed},
                                      {"steps", deaths.steps_done()},
                                      {"weights_sha256", deaths.hash()}};
  if (options.json) {
    std::printf("%s\n", result.dump().c_str());
    return;
  }
  print("noticed after", result["noticed_seconds"]);
  print("replaced after that within", result["replaced_seconds"]);
  print("committed, less a step of that run, after", result["committed_beyond_a_step_seconds"]);
  if (replayed > 0)
    std::printf("%lld steps were repeated; the delays do not contain them\n", static_cast<long long>(replayed));
  std::printf("weights after step %lld: sha256 %s\n", static_cast<long long>(deaths.steps_done()),
              result["weights_sha256"].get<std::string>().c_str());
}

}  // namespace

void add_deaths(CLI::App& app) {
  auto options = std::make_shared<DeathsOptions>();
  options->run.placement = "processes";
  options->run.sgd.num_workers = 2;
  options->run.sgd.fault_tolerance.max_failures = 1'000'000;
  options->run.optimizer.learning_rate = 1e-6;  // training on mock images would be meaningless
  CLI::App& deaths = *app.add_subcommand(
      "deaths",
      "Kill worker processes, or nodes of a cluster on this machine, at random moments of steps, and time the "
      "detection and the delay until the step is committed");
  options->run.add_to(deaths);
  deaths.add_option("--optimizer", options->run.optimizer.kind, "sgd, adagrad, adam or adamw")
      ->check(cli::registered_optimizer());
  deaths.add_option("--deaths", options->deaths, "Number of deaths")->check(CLI::Range(1, 100'000));
  deaths.add_option("--steps-between", options->steps_between, "Maximum number of undisturbed steps before a death")
      ->check(CLI::Range(0, 1'000'000));
  deaths.add_flag("--stop", options->stop, "Stop workers instead of killing them");
  deaths.add_flag("--json", options->json, "Print one JSON object");
  deaths.callback([options] { measure_deaths(*options); });
}

}  // namespace troupe::bench
