#include <doctest/doctest.h>

#include <iostream>
#include <string>

#include "host/host_program.hpp"

// This program is started again as host programs, as their worker processes and as their trials.
int main(int argc, char** argv) try {
  if (argc == 4 && std::string(argv[1]) == "--host") return troupe_test::run_host_program(argc, argv);
  if (argc == 3 && std::string(argv[1]).starts_with("--troupe-join=")) return troupe_test::serve_nodes(argc, argv);
  return doctest::Context(argc, argv).run();
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 3;
}
