#include "host/host.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "support/optimizers.hpp"
#include "support/patience.hpp"

namespace troupe_test {

using std::chrono::steady_clock;

void Host::write(const std::string& text) const { std::ofstream(results, std::ios::app) << text << '\n'; }

void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

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

void check_all_refused(const Calls& calls) {
  for (const auto& [name, call] : calls) check_refused(name, call);
}

namespace {

/// Returns the child's status.
int wait_for(pid_t child) {
  int status = 0;
  if (comes_true([&] { return ::waitpid(child, &status, WNOHANG) != 0; })) return status;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  throw std::runtime_error("the child does not end");
}

}  // namespace

void await(pid_t child) {
  const int status = wait_for(child);
  check(WIFEXITED(status), "the child was ended by signal " + std::to_string(WTERMSIG(status)));
  check(WEXITSTATUS(status) == 0, "the child ended with status " + std::to_string(WEXITSTATUS(status)));
}

void await_end(pid_t child) { wait_for(child); }

troupe::Options options_of(troupe::Placement placement) {
  troupe::Options options;
  options.num_workers = 2;
  options.placement = placement;
  edit(options)->learning_rate = 0.01;
  edit(options)->momentum = 0.9;
  options.verbose = false;
  return options;
}

namespace {

/// Samples that are slow to read. Threads of the process therefore read batches ahead.
class SlowData : public troupe::DataSource {
 public:
  explicit SlowData(troupe::data::DataPtr from) : DataSource(slow(from->info())), from_(std::move(from)) {}

 private:
  static troupe::DataInfo slow(troupe::DataInfo info) {
    info.slow = true;
    return info;
  }
  void read(const troupe::BatchRequest& request) const override { from_->fill(request); }

  troupe::data::DataPtr from_;
};

}  // namespace

std::unique_ptr<troupe::Model> shapes(std::uint64_t seed) {
  troupe::TrainingData data = troupe::load_data("mock-images:8,10", seed);
  data.train = std::make_shared<SlowData>(data.train);
  return troupe::models::network(troupe::models::mlp_layers(10), data, 16);
}

void register_models() {
  troupe::register_model("shapes", [](const troupe::ReplicaContext& at) { return shapes(at.seed); });
  troupe::register_function("count", [](const troupe::Json& config) {
    double sum = 0;
    for (int i = 1; i <= config.value("reports", 3); ++i) {
      sum += troupe::here().all_reduce(0.1 * (troupe::here().rank() + i));
      troupe::here().report({{"sum", sum}});
    }
    return troupe::TaskResult{.json = sum};
  });
}

std::vector<float> train(troupe::Placement placement, int steps) {
  troupe::DistributedSGD sgd("shapes", options_of(placement));
  for (int i = 0; i < steps; ++i) sgd.step();
  return sgd.weights();
}

}  // namespace troupe_test
