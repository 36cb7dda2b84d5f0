#include <doctest/doctest.h>

#include "torch/modules.hpp"
#include "troupe/init.hpp"

// Worker processes of these tests are processes of this program.
int main(int argc, char** argv) {
  troupe_test::register_modules();
  troupe::init(argc, argv);
  return doctest::Context(argc, argv).run();
}
