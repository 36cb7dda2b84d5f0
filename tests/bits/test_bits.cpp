#include <doctest/doctest.h>

#include <iostream>

#include "bits/known.hpp"

using namespace troupe_test;

TEST_CASE("results of all models, optimizers, algorithms, strategies and precisions match the stored results bitwise") {
  const Results before = results_before();
  const Results here = results_here();
  int known = 0;
  for (const auto& [key, result] : here) {
    INFO(key);
    const auto found = before.find(key);
    if (found == before.end()) continue;
    CHECK(result == found->second);
    ++known;
  }
  std::cout << known << " of " << here.size() << " results are known on this machine" << std::endl;
}
