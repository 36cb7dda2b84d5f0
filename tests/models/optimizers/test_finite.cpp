#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/numbers/finite.hpp"
#include "troupe/optimizer.hpp"

using namespace troupe;

namespace {

/// Finite floats, including the ends of the range and both zeros, and floats that are not finite.
constexpr std::uint32_t kFinite[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff,
                                     0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000};
constexpr std::uint32_t kOther[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffffffff};

}  // namespace

TEST_CASE("a single float that is not finite is found at any position among any values") {
  for (const std::size_t size : {1, 2, 7, 16, 31, 64, 100, 2048}) {
    for (const std::size_t offset : {0, 1, 3}) {
      std::vector<float> values(offset + size);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<float>(kFinite[i % std::size(kFinite)]);
      const std::span<float> part = std::span(values).subspan(offset);
      CHECK(all_finite(part));
      for (std::size_t i = 0; i<size; i += size> 100 ? 41 : 1)
        for (const std::uint32_t bits : kOther) {
          const float before = std::exchange(part[i], std::bit_cast<float>(bits));
          const bool found = !all_finite(part);
          const bool plain = !std::isfinite(part[i]);
          part[i] = before;
          CAPTURE(size);
          CAPTURE(i);
          REQUIRE(found);
          REQUIRE(plain);
        }
    }
  }
  CHECK(all_finite({}));
}
