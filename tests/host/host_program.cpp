#include "host/host_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/patience.hpp"
#include "troupe/troupe.hpp"

namespace troupe_test {
namespace {

using std::chrono::steady_clock;

/// What a host program is started with.
struct Host {
  int argc;
  char** argv;
  std::string results = {};

  void init() { troupe::init(argc, argv); }
  void write(const std::string& text) const { std::ofstream(results, std::ios::app) << text << '\n'; }
};

void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Checks that a call throws the error of a foreign process within a second.
void check_refused(const char* name, const std::function<void()>& call) {
  const auto begin = steady_clock::now();
  std::string how = "returned";
  try {
    call();
  } catch (const troupe::Error& error) {
    const bool names_it = std::string(error.what()).find("fork") != std::string::npos;
    how = error.code() == troupe::ErrorCode::unsupported && names_it ? "" : error.what();
  }
  check(how.empty(), std::string("in the child ") + name + ": " + how);
  check(steady_clock::now() - begin < std::chrono::seconds(1), std::string("in the child ") + name + " took long");
}

using Calls = std::map<const char*, std::function<void()>>;
void check_all_refused(const Calls& calls) {
  for (const auto& [name, call] : calls) check_refused(name, call);
}

/// Waits for the child, which must end by itself, with status 0.
void await(pid_t child) {
  const auto until = steady_clock::now() + kPatience;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (steady_clock::now() > until) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      throw std::runtime_error("the child does not end");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  check(WIFEXITED(status), "the child was ended by signal " + std::to_string(WTERMSIG(status)));
  check(WEXITSTATUS(status) == 0, "the child ended with status " + std::to_string(WEXITSTATUS(status)));
}

/// The two ends of a pipe, over which a parent holds its child back.
class Hold {
 public:
  Hold() { check(::pipe(ends_) == 0, "pipe"); }
  void wait() {
    char byte = 0;
    ::close(ends_[1]);
    check(::read(ends_[0], &byte, 1) == 0, "read");
  }
  void release() { ::close(ends_[1]); }

 private:
  int ends_[2] = {-1, -1};
};

troupe::Options options_of(troupe::Placement placement) {
  troupe::Options options;
  options.num_workers = 2;
  options.placement = placement;
  options.optimizer.learning_rate = 0.01;
  options.optimizer.momentum = 0.9;
  options.verbose = false;
  return options;
}

void register_models() {
  troupe::register_model("shapes", [](const troupe::ReplicaContext& at) {
    return troupe::models::network(troupe::models::mlp_layers(10), troupe::load_data("mock-images:8,10", at.seed), 16);
  });
  troupe::register_function("count", [](const troupe::Json& config) {
    troupe::here().keepsake();
    double sum = 0;
    for (int i = 1; i <= config.value("reports", 3); ++i) {
      sum += troupe::here().all_reduce(0.1 * (troupe::here().rank() + i));
      troupe::here().report({{"sum", sum}});
    }
    return troupe::Returned{.json = sum};
  });
}

std::vector<float> train(troupe::Placement placement, int steps) {
  troupe::DistributedSGD sgd("shapes", options_of(placement));
  for (int i = 0; i < steps; ++i) sgd.step();
  return sgd.weights();
}

/// All that a DistributedSGD can be asked.
Calls calls_of(troupe::DistributedSGD& sgd) {
  return {{"step", [&] { sgd.step(); }},
          {"warmup", [&] { sgd.warmup(); }},
          {"report", [&] { sgd.report(); }},
          {"should_stop", [&] { sgd.should_stop(); }},
          {"set_learning_rate", [&] { sgd.set_learning_rate(0.1); }},
          {"use", [&] { sgd.use("downpour"); }},
          {"use local", [&] { sgd.use(troupe::LocalOptions()); }},
          {"use lbfgs", [&] { sgd.use(troupe::LbfgsOptions()); }},
          {"weights", [&] { sgd.weights(); }},
          {"read_weights", [&] { sgd.read_weights([](std::span<const float>) {}); }},
          {"set_weights", [&] { sgd.set_weights({}); }},
          {"tensors", [&] { sgd.tensors(); }},
          {"resize", [&] { sgd.resize(1); }},
          {"num_workers", [&] { sgd.num_workers(); }},
          {"save", [&] { sgd.save("/dev/null"); }},
          {"save_state", [&] { sgd.save_state("/nowhere"); }},
          {"load_state", [&] { sgd.load_state("/nowhere"); }},
          {"checkpoint", [&] { sgd.checkpoint(); }},
          {"steps_done", [&] { sgd.steps_done(); }},
          {"evaluate", [&] { sgd.evaluate(); }},
          {"foreach_model", [&] { sgd.foreach_model("name"); }},
          {"foreach_worker", [&] { sgd.foreach_worker("name"); }},
          {"for_model", [&] { sgd.for_model("name"); }},
          {"steps_per_epoch", [&] { sgd.steps_per_epoch(); }},
          {"precision", [&] { sgd.precision(); }},
          {"precision_choice", [&] { sgd.precision_choice(); }},
          {"state_bytes", [&] { sgd.state_bytes(); }},
          {"worker_pids", [&] { sgd.worker_pids(); }}};
}

/// The child returns from main through all destructors. @param late whether it lives until the parent's run has ended
int fork_beside_a_run(Host& host, troupe::Placement placement, bool late) {
  register_models();
  host.init();
  const std::vector<float> expected = train(placement, 6);
  Hold hold;
  pid_t child = -1;
  {
    troupe::DistributedSGD sgd("shapes", options_of(placement));
    for (int i = 0; i < 3; ++i) sgd.step();
    child = ::fork();
    if (child == 0) {
      check_all_refused(calls_of(sgd));
      check_refused("another run", [] { train(troupe::Placement::in_process, 1); });
      if (late) hold.wait();
      troupe::DistributedSGD moved = std::move(sgd);
      check_refused("step, moved", [&] { moved.step(); });
      return 0;
    }
    for (int i = 0; i < 2; ++i) sgd.step();
    if (!late) await(child);
    sgd.step();
    check(sgd.weights() == expected, "the parent trains to other weights");
  }
  if (late) {
    check(train(placement, 6) == expected, "another run of the parent trains to other weights");
    hold.release();
    await(child);
  }
  host.write("well");
  return 0;
}

}  // namespace

int run_host_program(int argc, char** argv) {
  Host host{argc, argv, argv[3]};
  const std::string name = argv[2];
  using troupe::Placement;
  const std::map<std::string, std::function<int()>> programs{
      {"threads", [&] { return fork_beside_a_run(host, Placement::in_process, false); }},
      {"threads, late", [&] { return fork_beside_a_run(host, Placement::in_process, true); }},
      {"processes", [&] { return fork_beside_a_run(host, Placement::processes, false); }},
      {"processes, late", [&] { return fork_beside_a_run(host, Placement::processes, true); }},
  };
  return programs.at(name)();
}

}  // namespace troupe_test
