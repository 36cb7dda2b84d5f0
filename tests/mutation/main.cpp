#include <doctest/doctest.h>

#include "actors/lbfgs/smooth_models.hpp"
#include "actors/metrics/measured_model.hpp"
#include "actors/test_models.hpp"
#include "mutation/scenarios.hpp"
#include "troupe/sgd.hpp"

int main(int argc, char** argv) {
  troupe_test::register_models();
  troupe_test::register_measured();
  troupe_test::register_smooth_models();
  troupe_test::register_scenarios();
  troupe::init(argc, argv);  // nodes run this program, too
  return doctest::Context(argc, argv).run();
}
