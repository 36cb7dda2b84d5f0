#include <doctest/doctest.h>

#include <fstream>

#include "bits/cases.hpp"
#include "bits/known.hpp"
#include "troupe/sgd.hpp"

/// `test_bits --write FILE` writes all results of this build on this machine.
int main(int argc, char** argv) {
  troupe_test::register_data_of_cases();
  troupe::init(argc, argv);  // nodes are this program, started again
  if (argc == 3 && std::string(argv[1]) == "--write") {
    std::ofstream file(argv[2]);
    for (const auto& [key, result] : troupe_test::results_here()) file << key << ": " << result << '\n';
    return file.flush() ? 0 : 1;
  }
  return doctest::Context(argc, argv).run();
}
