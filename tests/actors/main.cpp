#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "actors/data/loaded_data.hpp"
#include "actors/data/own_data.hpp"
#include "actors/lbfgs/smooth_models.hpp"
#include "actors/metrics/measured_model.hpp"
#include "actors/test_models.hpp"
#include "actors/trainer/train_functions.hpp"
#include "actors/tune/tune_functions.hpp"
#include "troupe/sgd.hpp"

// Worker processes of these tests are this program, started again.
int main(int argc, char** argv) {
  troupe_test::limit_files_as_told();
  troupe_test::register_models();
  troupe_test::register_own_data();
  troupe_test::register_loaded_data();
  troupe_test::register_measured();
  troupe_test::register_smooth_models();
  troupe_test::register_train_functions();
  troupe_test::register_tune_functions();
  troupe::init(1, argv);  // as after a parser that has removed the arguments it knows
  // Uses a temporary folder of its own, so that files of other programs are not mistaken for remains of these tests.
  std::string folder = std::filesystem::temp_directory_path() / "test-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  ::setenv("TMPDIR", folder.c_str(), 1);
  const int failed = doctest::Context(argc, argv).run();
  std::filesystem::remove_all(folder);
  return failed;
}
