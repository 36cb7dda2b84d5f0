// Trains networks without including the JSON library, which costs each compilation a second.
#include "troupe/models.hpp"
#include "troupe/predictor.hpp"
#include "troupe/sgd.hpp"
#ifdef INCLUDE_NLOHMANN_JSON_HPP_
#error "models.hpp, predictor.hpp and sgd.hpp must work with forward declarations of JSON"
#endif

#include <doctest/doctest.h>

TEST_CASE("a program can train with only the headers of models and runs") {
  troupe::Options options{
      .num_workers = 2, .optimizer = troupe::Sgd{.learning_rate = 0.05}, .config = "100", .verbose = false};
  troupe::DistributedSGD sgd{"noise", options};
  CHECK(sgd.step().step == 1);
}
