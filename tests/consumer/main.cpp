// A user's program. Two workers fit one number to the mean of the values of their shards. The program runs in this
// process and in worker processes. If the environment names a cluster, as scripts/local-cluster.sh sets it, the program
// runs on the nodes instead.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <troupe/troupe.hpp>

static_assert(TROUPE_VERSION_MAJOR * 1000 + TROUPE_VERSION_MINOR >= 1);

struct Mean : troupe::Model {
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override { return {.size = 1}; }
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override {
    const float error = weights[0] - static_cast<float>(at.shard);
    gradient[0] = 2 * error;
    return {.loss_sum = error * error, .samples = 1};
  }
};

double mean_of(const troupe::Options& options) {
  troupe::DistributedSGD sgd{"mean", options};
  for (int i = 0; i < 50; ++i) sgd.step();
  return sgd.weights().at(0);
}

int main(int argc, char** argv) {
  troupe::register_model("mean", [](const troupe::ReplicaContext&) { return std::make_unique<Mean>(); });
  troupe::init(argc, argv);
  troupe::Options options{.num_workers = 2, .optimizer = troupe::Sgd{.learning_rate = 0.25}, .verbose = false};
  bool good = true;
  if (const char* const listen = std::getenv("TROUPE_LISTEN")) {
    options.placement = troupe::Placement::cluster;
    options.cluster = {.listen = listen,
                       .num_nodes = std::stoi(std::getenv("TROUPE_NODES")),
                       .certs = std::string(std::getenv("TROUPE_CERTS")) + "/driver"};
    good = std::abs(mean_of(options) - 0.5) < 1e-5;
  } else {
    for (const auto placement : {troupe::Placement::in_process, troupe::Placement::processes}) {
      options.placement = placement;
      good = good && std::abs(mean_of(options) - 0.5) < 1e-5;
    }
  }
  std::cout << "troupe " TROUPE_VERSION ": " << (good ? "the mean was found\n" : "the mean was not found\n");
  return good ? 0 : 1;
}
