#include <doctest/doctest.h>

#include "models/data/scale_hint.hpp"
#include "models/files.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("the hint names columns with scales that differ more than a thousandfold") {
  const TemporaryFolder folder;
  const auto hint = [&](const std::string& rows) {
    write_file(folder / "a.csv", rows);
    return scale_hint(*load_data("csv:" + (folder / "a.csv") + ",target=y").train);
  };
  CHECK(hint("income,rate,city,y\n50000,0.02,Ulm,1\n70000,0.04,Bonn,2\n") ==
        "columns 'rate' (about 0.032) and 'income' (about 6.1e+04) differ in scale by more than a factor of 1000; the "
        "transform normalise gives all columns the same scale");
  CHECK(hint("a,b,y\n900,1,1\n900,1,2\n").empty());
  CHECK(hint("a,b,y\n900000,0,1\n900000,0,2\n").empty());  // a column of zeros has no scale
  CHECK(hint("a,y\n1,1e9\n2,2e9\n").empty());              // targets are not inputs
  CHECK(hint("city,y\nUlm,1\nBonn,2\n").empty());
  CHECK(scale_hint(*load_data("mock-images:8").train).empty());
}
