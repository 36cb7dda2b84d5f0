#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>
#include <string>

#include "host/host_program.hpp"

// Host programs of these tests, and their worker processes and trials, are this program again.
int main(int argc, char** argv) try {
  if (argc == 4 && std::string(argv[1]) == "--host") return troupe_test::run_host_program(argc, argv);
  if (argc == 3 && std::string(argv[1]).starts_with("--troupe-join=")) return troupe_test::serve_nodes(argc, argv);
  return doctest::Context(argc, argv).run();
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 3;
}
