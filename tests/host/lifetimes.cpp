#include <atomic>
#include <filesystem>
#include <thread>

#include "host/host.hpp"
#include "support/free_address.hpp"
#include "support/trial_node.hpp"

namespace troupe_test {
namespace {

/// One thread creates a run, others take steps, and another thread destroys the run.
int made_and_ended_elsewhere(Host& host, troupe::Placement placement) {
  register_models();
  host.init();
  const std::vector<float> expected = train(placement, 3);
  const auto elsewhere = [](const std::function<void()>& act) { std::thread(act).join(); };
  std::unique_ptr<troupe::DistributedSGD> sgd;
  const auto make = [&] { sgd = std::make_unique<troupe::DistributedSGD>("shapes", options_of(placement)); };
  make();
  sgd->step();
  for (int step = 0; step < 2; ++step) elsewhere([&] { sgd->step(); });
  check(sgd->weights() == expected, "steps on other threads produce different weights");
  elsewhere([&] { sgd.reset(); });
  elsewhere(make);
  sgd->step();
  sgd.reset();
  std::unique_ptr<troupe::Trainer> trainer;
  elsewhere([&] {
    trainer = std::make_unique<troupe::Trainer>(troupe::TrainerOptions{.num_workers = 2, .placement = placement});
  });
  check(trainer->run("count").size() == 2, "results are missing");
  elsewhere([&] { trainer.reset(); });
  host.write("well");
  return 0;
}

/// A run and a trainer with static storage duration. They are destroyed when the process ends.
int of_static_storage(Host& host, troupe::Placement placement) {
  static std::unique_ptr<troupe::DistributedSGD> sgd;
  static std::unique_ptr<troupe::Trainer> trainer;
  register_models();
  host.init();
  sgd = std::make_unique<troupe::DistributedSGD>("shapes", options_of(placement));
  trainer = std::make_unique<troupe::Trainer>(troupe::TrainerOptions{.num_workers = 2, .placement = placement});
  static troupe::DistributedSGD another("shapes", options_of(placement));
  sgd->step();
  another.step();
  check(trainer->run("count").size() == 2, "results are missing");
  host.write("well");
  return 0;
}

/// Two nodes serve one run after another, and the driver calls fork. The driver's next run listens on the same port
/// although the child of the first run is alive.
int fork_beside_a_cluster(Host& host) {
  register_models();
  host.init();
  const std::vector<float> expected = train(troupe::Placement::in_process, 3);
  troupe::Options options = options_of(troupe::Placement::cluster);
  options.cluster.listen = free_address();
  options.cluster.num_nodes = 2;
  options.cluster.certs = trial_authority().folder() / "driver";
  std::vector<std::unique_ptr<Child>> nodes;
  for (int number = 0; number < 2; ++number)
    nodes.push_back(
        start_trial_node(number, options.cluster.listen, std::filesystem::path(host.results).parent_path().string()));
  Hold hold;
  pid_t child = -1;
  {
    troupe::DistributedSGD sgd("shapes", options);
    sgd.step();
    child = ::fork();
    if (child == 0) {
      check_refused("step", [&] { sgd.step(); });
      hold.wait();
      ::_exit(0);
    }
    for (int step = 1; step < 3; ++step) sgd.step();
    check(sgd.weights() == expected, "the weights of the run differ");
  }
  {
    troupe::DistributedSGD sgd("shapes", options);
    for (int step = 0; step < 3; ++step) sgd.step();
    check(sgd.weights() == expected, "the weights of the next run differ");
  }
  hold.release();
  await(child);
  host.write("well");
  return 0;
}

/// A child of fork returns into a thread that reads batches ahead or writes the log. The child must end.
int fork_in_data(Host& host) {
  static std::atomic<pid_t> forked{0};
  struct Forks : troupe::DataSource {
    explicit Forks(troupe::data::DataPtr data) : DataSource(slow(data->info())), from(std::move(data)) {}
    static troupe::DataInfo slow(troupe::DataInfo info) {
      info.slow = true;
      return info;
    }
    void read(const troupe::BatchRequest& request) const override {
      from->fill(request);
      static std::atomic<int> reads{0};
      if (++reads != 5) return;
      if (const pid_t child = ::fork(); child > 0) forked = child;
    }
    troupe::data::DataPtr from;
  };
  troupe::register_model("forks", [](const troupe::ReplicaContext& at) {
    troupe::TrainingData data = troupe::load_data("mock-images:8,10", at.seed);
    data.train = std::make_shared<Forks>(data.train);
    return troupe::models::network(troupe::models::mlp_layers(10), data, 16);
  });
  register_models();
  host.init();
  const std::vector<float> expected = train(troupe::Placement::in_process, 6);
  {
    troupe::DistributedSGD sgd("forks", options_of(troupe::Placement::in_process));
    for (int step = 0; step < 6; ++step) sgd.step();
    check(sgd.weights() == expected, "the weights of the run differ");
  }
  check(forked > 0, "nothing has forked");
  await_end(forked);
  host.write("well");
  return 0;
}

}  // namespace

Programs lifetime_programs() {
  using troupe::Placement;
  return {{"elsewhere, threads", [](Host& host) { return made_and_ended_elsewhere(host, Placement::in_process); }},
          {"elsewhere, processes", [](Host& host) { return made_and_ended_elsewhere(host, Placement::processes); }},
          {"static, threads", [](Host& host) { return of_static_storage(host, Placement::in_process); }},
          {"static, processes", [](Host& host) { return of_static_storage(host, Placement::processes); }},
          {"cluster", fork_beside_a_cluster},
          {"data", fork_in_data}};
}

}  // namespace troupe_test
