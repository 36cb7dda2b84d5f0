#include <doctest/doctest.h>

#include <string>

#include "mpi/scenarios.hpp"
#include "troupe/sgd.hpp"

// Each rank of mpirun is this program. All ranks run the same test cases in the same order.
int main(int argc, char** argv) {
  troupe::init(argc, argv);
  if (argc == 3 && argv[1] == std::string("--scenario")) return troupe::run_scenario(argv[2]);
  return doctest::Context(argc, argv).run();
}
