#include <doctest/doctest.h>

#include "cli/trained_network.hpp"

using troupe::cli::with_trained_numbers;

TEST_CASE("a transform without numbers uses the numbers of the training") {
  CHECK(with_trained_numbers("normalise", "normalise 1 2") == "normalise 1 2");
  CHECK(with_trained_numbers("normalise", "crop 64 4, normalise 1 2") == "normalise 1 2");
  CHECK(with_trained_numbers("resize 8,normalise", "resize 9, normalise 1 2") == "resize 8, normalise 1 2");
  CHECK(with_trained_numbers("normalise 3 4, normalise", "normalise 1 2, normalise 5 6") ==
        "normalise 3 4, normalise 5 6");
  CHECK(with_trained_numbers("normalise", "flip") == "normalise");
  CHECK(with_trained_numbers("flip", "normalise 1 2") == "flip");
}
