#include <doctest/doctest.h>

#include <cmath>

#include "models/files.hpp"
#include "models/sequence_trial.hpp"

// What only CPUs check.
using namespace troupe;
using namespace troupe::test;
using namespace troupe::testing;

TEST_CASE("a token that the embedding does not have is an error") {
  SequenceTrial trial(sequence_graphs().front(), 9, 2);
  for (const float token : {7.0F, -1.0F, std::nanf("")}) {
    trial.values[11] = token;
    check_throws(ErrorCode::bad_data, "at position 2 is not in the vocabulary of 7",
                 [&] { trial.network->gradient({}, trial.samples(), trial.weights, trial.gradient); });
  }
}
