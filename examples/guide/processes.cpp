// Workers in separate processes, one of which is killed. They create the model by its registered name.
#include <iostream>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) {
  troupe::register_model("shapes", [](const troupe::ReplicaContext& at) {
    return troupe::models::network(troupe::models::mlp_layers(10), troupe::load_data("mock-images:8,10", at.seed), 16);
  });
  troupe::init(argc, argv);  // a worker process stays in this call and never returns
  troupe::DistributedSGD sgd{"shapes",
                             {.num_workers = 3,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Sgd{.learning_rate = 1e-5},
                              .fault_tolerance = {.faults = {troupe::testing::KillWorker{.worker = 1, .step = 5}}},
                              .verbose = false}};
  for (int i = 0; i < 10; ++i) {
    const auto report = sgd.step();
    std::cout << "step " << report.step << ", loss " << report.loss << '\n';
    for (const auto& repair : report.repairs) std::cout << "  " << repair.node << ": " << repair.what << '\n';
  }
}
