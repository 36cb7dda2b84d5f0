#include <doctest/doctest.h>

#include "models/files.hpp"
#include "models/files/npy.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("an array is read as it was written, and its floats begin at a multiple of 64 bytes") {
  const TemporaryFolder folder;
  const std::vector<float> floats{1, -2.5F, 3e20F, 4, 5, 6};
  for (const auto& shape : {std::vector<std::int64_t>{6}, {2, 3}, {1, 2, 3, 1}}) {
    write_npy(folder / "a.npy", shape, floats);
    const NumberArray array = read_npy(folder / "a.npy");
    CHECK(array.shape == shape);
    CHECK(array.floats() == floats);
    CHECK((read_file(folder / "a.npy").size() - sizeof(float) * floats.size()) % 64 == 0);
  }
  write_npy(folder / "none.npy", {0, 3}, {});
  CHECK(read_npy(folder / "none.npy").size() == 0);
}
