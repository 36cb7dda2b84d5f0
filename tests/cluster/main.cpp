#include <doctest/doctest.h>
#include <signal.h>

#include "actors/spoiled_model.hpp"
#include "actors/state/state_trial.hpp"
#include "actors/test_models.hpp"
#include "actors/trainer/train_functions.hpp"
#include "cluster/bits_model.hpp"
#include "cluster/hold_model.hpp"
#include "cluster/lying_node.hpp"
#include "cluster/rogue_node.hpp"
#include "troupe/sgd.hpp"

// Nodes of these tests are processes of this program.
int main(int argc, char** argv) {
  troupe_test::register_hold_model();
  troupe_test::register_bits_model();
  troupe_test::register_spoiled_model();
  troupe_test::register_batches_model();
  troupe_test::register_functions_with_argument();
  troupe_test::register_train_functions();
  troupe::init(argc, argv);
  ::signal(SIGPIPE, SIG_IGN);  // some programs that the tests connect to close the connection
  if (argc == 6 && std::string(argv[1]) == "--rogue") troupe_test::run_rogue(argv[2], argv[3], argv[4], argv[5]);
  if (argc == 5 && std::string(argv[1]) == "--liar") troupe_test::run_liar(argv[2], argv[3], argv[4]);
  return doctest::Context(argc, argv).run();
}
