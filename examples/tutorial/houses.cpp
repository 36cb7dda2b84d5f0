// Predicts prices of houses with a network of two hidden layers.
#include <iostream>
#include <map>
#include <string>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) try {
  using namespace troupe::models;
  troupe::register_model("prices", [](const troupe::ReplicaContext& at) {
    const auto table = troupe::load_data("csv:houses.csv,target=price,test=houses-test.csv", at.seed);
    return network({flatten(), linear(64), relu(), linear(32), relu(), linear(1)},
                   troupe::data::transform(table, "normalise"), /*batch_size=*/50);
  });
  troupe::init(argc, argv);  // worker processes and nodes stay in here

  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  troupe::Options options{
      .num_workers = 3, .num_shards = 3, .optimizer = troupe::Adam{.learning_rate = 0.01}, .verbose = false};
  if (given.count("--listen") > 0) {  // part 3
    options.placement = troupe::Placement::cluster;
    options.cluster = troupe::ClusterOptions{.listen = given["--listen"], .num_nodes = 3, .certs = given["--certs"]};
  }

  troupe::DistributedSGD sgd{"prices", options};
  for (int epoch = 1; epoch <= 60; ++epoch) {
    for (std::int64_t step = 0; step < sgd.steps_per_epoch(); ++step) sgd.step();
    if (epoch % 10 == 0) std::cout << "epoch " << epoch << ": test loss " << sgd.evaluate().loss << '\n';
  }
  const auto measured = sgd.evaluate(troupe::EvaluationSet::test, {.errors = true});
  std::cout << "test R2 " << measured.all_targets.r2 << '\n';
  sgd.save("houses.safetensors");
} catch (const troupe::Error& error) {
  std::cerr << to_string(error.code()) << ": " << error.what() << '\n';
  return 1;
}
