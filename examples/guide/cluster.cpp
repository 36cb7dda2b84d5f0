// One program for all machines of a cluster:
//   cluster --listen 10.0.0.1:7070 --certs certs/driver                          leads the run
//   cluster --troupe-join=10.0.0.1:7070 --troupe-certs=certs/alice               runs a node, on each of two machines
#include <iostream>
#include <map>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) try {
  troupe::register_model("shapes", [](const troupe::ReplicaContext& at) {
    return troupe::models::network(troupe::models::mlp_layers(10), troupe::load_data("mock-images:8,10", at.seed), 16);
  });
  troupe::init(argc, argv);  // a node stays in this call and serves one run after another
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  troupe::DistributedSGD sgd{"shapes",
                             {.num_workers = 2,
                              .placement = troupe::Placement::cluster,
                              .cluster = {.listen = given["--listen"], .num_nodes = 2, .certs = given["--certs"]},
                              .optimizer = troupe::Sgd{.learning_rate = 1e-5}}};
  for (int i = 0; i < 10; ++i) {
    const auto report = sgd.step();  // prints the phases of the step
    std::cout << "loss " << report.loss << '\n';
  }
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
