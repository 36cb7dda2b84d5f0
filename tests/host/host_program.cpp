#include "host/host_program.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace troupe_test {
namespace {

/// Returns calls of all functions of DistributedSGD.
Calls calls_of(troupe::DistributedSGD& sgd) {
  return {{"step", [&] { sgd.step(); }},
          {"warmup", [&] { sgd.warmup(); }},
          {"report", [&] { sgd.report(); }},
          {"should_stop", [&] { sgd.should_stop(); }},
          {"set_learning_rate", [&] { sgd.set_learning_rate(0.1); }},
          {"use", [&] { sgd.use(troupe::Downpour()); }},
          {"use local", [&] { sgd.use(troupe::LocalSgd()); }},
          {"use lbfgs", [&] { sgd.use(troupe::Lbfgs()); }},
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
          {"call_model", [&] { sgd.call_model("name"); }},
          {"steps_per_epoch", [&] { sgd.steps_per_epoch(); }},
          {"precision", [&] { sgd.precision(); }},
          {"precision_choice", [&] { sgd.precision_choice(); }},
          {"state_bytes", [&] { sgd.state_bytes(); }},
          {"worker_pids", [&] { sgd.worker_pids(); }}};
}

/// The child returns from main and runs all destructors. @param late whether the child lives until the parent's run has
/// ended
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
    check(sgd.weights() == expected, "the parent's weights differ");
  }
  if (late) {
    check(train(placement, 6) == expected, "the weights of the parent's other run differ");
    hold.release();
    await(child);
  }
  host.write("well");
  return 0;
}

/// A callback calls fork and returns in the child as well.
int fork_in_a_callback(Host& host) {
  host.init();
  class Forks : public troupe::Callback {
   public:
    void on_report(const troupe::Report& report) override {
      if (report.iteration == 2) child = ::fork();
    }
    pid_t child = -1;
  };
  const auto forks = std::make_shared<Forks>();
  troupe::Options options = options_of(troupe::Placement::in_process);
  options.callbacks = {forks};
  troupe::DistributedSGD sgd([](int, int) { return shapes(1); }, options);
  sgd.step();
  if (forks->child == -1) try {
      sgd.step();
    } catch (const troupe::Error& error) {
      check(forks->child == 0 && error.code() == troupe::ErrorCode::unsupported, error.what());
      return 0;
    }
  check(forks->child > 0, "the child's step returned");
  await(forks->child);
  sgd.read_weights([&](std::span<const float>) { forks->child = ::fork(); });
  if (forks->child == 0) return 0;
  await(forks->child);
  check(sgd.step().step == 3, "the parent's run does not continue");
  host.write("well");
  return 0;
}

/// A replica and a function of a trainer call fork on their own threads and return in the child as well.
int fork_in_a_worker(Host& host, troupe::Placement placement) {
  troupe::register_model_function("fork", [](troupe::Model&, std::span<const float>) {
    if (const pid_t child = ::fork(); child > 0) ::waitpid(child, nullptr, 0);
    return std::string("returned");
  });
  troupe::register_function("fork", [](const troupe::Json&) {
    const pid_t child = troupe::here().rank() == 0 ? ::fork() : 1;
    if (child == 0) {
      check_refused("all_reduce", [] { troupe::here().all_reduce(1.0); });
      check_refused("report", [] { troupe::here().report({{"loss", 1}}); });
      check_refused("save_checkpoint", [] { troupe::here().save_checkpoint({}); });
      check_refused("should_stop", [] { troupe::here().should_stop(); });
      return troupe::TaskResult{.json = "child"};
    }
    if (child > 1) ::waitpid(child, nullptr, 0);
    troupe::here().report({{"loss", 1}});
    return troupe::TaskResult{.json = troupe::here().all_reduce(1.0)};
  });
  register_models();
  host.init();
  const std::vector<float> expected = train(placement, 4);
  troupe::DistributedSGD sgd("shapes", options_of(placement));
  for (int i = 0; i < 2; ++i) sgd.step();
  check(sgd.foreach_model("fork").at(1) == "returned", "a replica returned something else");
  for (int i = 0; i < 2; ++i) sgd.step();
  check(sgd.weights() == expected, "the weights of the run differ");
  troupe::Trainer trainer({.num_workers = 2, .placement = placement});
  for (const troupe::TaskResult& returned : trainer.run("fork"))
    check(returned.json == 2.0, "a rank returned another result");
  host.write("well");
  return 0;
}

Calls calls_of(troupe::Trainer& trainer, troupe::RunHandle& running) {
  return {{"next", [&] { running.next(); }},
          {"is_finished", [&] { running.is_finished(); }},
          {"returns", [&] { running.returns(); }},
          {"run", [&] { trainer.run("count"); }},
          {"run_generator", [&] { trainer.run_generator("count"); }},
          {"last_checkpoint", [&] { trainer.last_checkpoint(); }},
          {"execute", [&] { trainer.execute("count"); }},
          {"execute_single", [&] { trainer.execute_single("count"); }},
          {"num_workers", [&] { trainer.num_workers(); }},
          {"workers", [&] { trainer.workers().workers(); }},
          {"options", [&] { trainer.workers().options(); }},
          {"takes_values", [&] { trainer.workers().takes_values(); }},
          {"shutdown", [&] { trainer.shutdown(); }},
          {"another trainer", [&] { troupe::Trainer another{troupe::TrainerOptions()}; }}};
}

int fork_beside_a_trainer(Host& host, troupe::Placement placement) {
  register_models();
  host.init();
  troupe::Trainer trainer({.num_workers = 2, .placement = placement});
  const auto results = [](const troupe::RunResults& all) { return std::vector{all.at(0).json, all.at(1).json}; };
  const auto expected = results(trainer.run("count"));
  troupe::RunHandle running = trainer.run_generator("count");
  check(running.next().has_value(), "no report");
  const pid_t child = ::fork();
  if (child == 0) {
    check_all_refused(calls_of(trainer, running));
    const troupe::RunHandle moved = std::move(running);
    return 0;
  }
  await(child);
  int reports = 1;
  for (; running.next(); ++reports) continue;
  check(reports == 3, "the parent received " + std::to_string(reports) + " reports");
  check(results(running.returns()) == expected, "the parent's run returned another result");
  check(results(trainer.run("count")) == expected, "another run of the parent returned another result");
  host.write("well");
  return 0;
}

/// @param returns whether the child returns from the callback into the search, which then throws
int fork_in_a_search(Host& host, bool returns) {
  register_models();
  host.init();
  troupe::tune::Trainable trainable;
  trainable.function = "count";
  troupe::tune::Options options;
  options.space = {{"reports", troupe::tune::grid({2, 3, 4})}};
  pid_t child = -1;
  bool refused = false;
  options.on_change = [&](const troupe::tune::Trial& trial) {
    if (child >= 0 || trial.reports.empty()) return;
    child = ::fork();
    if (child > 0) await(child);
    if (child == 0 && !returns) throw std::runtime_error("the child's exception");
  };
  try {
    const troupe::tune::Analysis analysis = troupe::tune::run(trainable, options);
    check(child > 0, "the child's search returned");
    check(analysis.trials().size() == 3, "trials are missing");
    for (const auto& trial : analysis.trials()) check(trial.state == troupe::tune::TrialState::done, trial.error);
    check(::access(analysis.folder().c_str(), F_OK) == 0, "the parent's folder is gone");
    const pid_t another = ::fork();
    if (another == 0) return 0;  // a temporary folder belongs to the parent
    await(another);
    check(::access(analysis.folder().c_str(), F_OK) == 0, "the exit of the child removed the parent's folder");
  } catch (const troupe::Error& error) {
    check(child == 0 && returns && error.code() == troupe::ErrorCode::unsupported, error.what());
    refused = true;
  } catch (const std::runtime_error& error) {
    check(child == 0 && !returns && std::string(error.what()) == "the child's exception", error.what());
    refused = true;
  }
  if (child == 0) return refused ? 0 : 1;
  host.write("well");
  return 0;
}

/// The parent is killed while its child holds the inherited descriptors. The workers must end nevertheless.
int killed_beside_its_child(Host& host) {
  register_models();
  host.init();
  troupe::DistributedSGD sgd("shapes", options_of(troupe::Placement::processes));
  sgd.step();
  std::string pids;
  for (const int pid : sgd.worker_pids()) pids += std::to_string(pid) + ' ';
  if (::fork() == 0) {
    host.write(pids);
    for (;;) ::pause();
  }
  for (;;) ::pause();
}

/// The parent's next run writes to the same folder while a child of the first run is alive.
int fork_beside_a_folder(Host& host) {
  register_models();
  host.init();
  const std::string folder = host.results + ".run";
  troupe::Options options = options_of(troupe::Placement::in_process);
  options.checkpoint = {.folder = folder, .every_steps = 1, .resume = true};
  options.callbacks = {troupe::callbacks::csv(folder + "/steps.csv")};
  Hold hold;
  pid_t child = -1;
  {
    troupe::DistributedSGD sgd("shapes", options);
    sgd.step();
    child = ::fork();
    if (child == 0) {
      options = {};
      hold.wait();
      return 0;
    }
    sgd.step();
    options.callbacks = {};
  }
  options.callbacks = {troupe::callbacks::csv(folder + "/steps.csv")};
  {
    troupe::DistributedSGD sgd("shapes", options);
    check(sgd.step().step > 1, "the run does not resume");
  }
  hold.release();
  await(child);
  host.write("well");
  return 0;
}

enum class When : unsigned char { before_init, after_init, after_runs };

/// The process becomes a daemon. Then it trains with threads and with worker processes, runs functions, and runs
/// searches.
int daemon(Host& host, When when) {
  register_models();
  const auto become_daemon = [] { check(::daemon(/*nochdir=*/1, /*noclose=*/0) == 0, "daemon"); };
  if (when == When::before_init) become_daemon();
  host.init();
  const auto work = [] {
    const std::vector<float> weights = train(troupe::Placement::in_process, 3);
    check(train(troupe::Placement::processes, 3) == weights, "the weights of worker processes differ");
    troupe::Trainer trainer({.num_workers = 2, .placement = troupe::Placement::processes});
    check(trainer.run("count").size() == 2, "results are missing");
    troupe::tune::Options options;
    options.space = {{"reports", troupe::tune::grid({2, 3})}};
    troupe::tune::Trainable trainable;
    trainable.function = "count";
    check(troupe::tune::run(trainable, options).is_complete(), "the search is not complete");
    return weights;
  };
  if (when == When::after_init) become_daemon();
  std::vector<float> before;
  if (when == When::after_runs) {
    before = work();
    become_daemon();
  }
  const std::vector<float> weights = work();
  check(when != When::after_runs || weights == before, "the weights of the daemon differ");
  host.write("well");
  return 0;
}

Programs programs() {
  using troupe::Placement;
  Programs all{
      {"threads", [](Host& host) { return fork_beside_a_run(host, Placement::in_process, false); }},
      {"threads, late", [](Host& host) { return fork_beside_a_run(host, Placement::in_process, true); }},
      {"processes", [](Host& host) { return fork_beside_a_run(host, Placement::processes, false); }},
      {"processes, late", [](Host& host) { return fork_beside_a_run(host, Placement::processes, true); }},
      {"callback", fork_in_a_callback},
      {"worker of threads", [](Host& host) { return fork_in_a_worker(host, Placement::in_process); }},
      {"worker of processes", [](Host& host) { return fork_in_a_worker(host, Placement::processes); }},
      {"trainer of threads", [](Host& host) { return fork_beside_a_trainer(host, Placement::in_process); }},
      {"trainer of processes", [](Host& host) { return fork_beside_a_trainer(host, Placement::processes); }},
      {"search, returns", [](Host& host) { return fork_in_a_search(host, true); }},
      {"search, throws", [](Host& host) { return fork_in_a_search(host, false); }},
      {"killed", killed_beside_its_child},
      {"folder", fork_beside_a_folder},
      {"daemon before init", [](Host& host) { return daemon(host, When::before_init); }},
      {"daemon after init", [](Host& host) { return daemon(host, When::after_init); }},
      {"daemon after runs", [](Host& host) { return daemon(host, When::after_runs); }},
  };
  all.merge(lifetime_programs());
  return all;
}

}  // namespace

int serve_nodes(int argc, char** argv) {
  register_models();
  troupe::init(argc, argv);
  return 1;  // a node does not run code of its own
}

int run_host_program(int argc, char** argv) {
  Host host{argc, argv, argv[3]};
  try {
    return programs().at(argv[2])(host);
  } catch (const std::exception& error) {
    host.write(std::string("failed: ") + error.what());
    return 1;
  }
}

}  // namespace troupe_test
