#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "actors/test_models.hpp"
#include "troupe/sgd.hpp"

// Worker processes of these tests are this program again.
int main(int argc, char** argv) {
  troupe_test::register_models();
  troupe::init(argc, argv);
  return doctest::Context(argc, argv).run();
}
