#include <doctest/doctest.h>

#include <vector>

#include "actors/placements/cluster/mixed_arithmetic.hpp"
#include "runtime/arithmetic.hpp"

using namespace troupe;

namespace {

ClusterNode node(const std::string& name, const std::string& arithmetic) {
  ClusterNode made;
  made.name = name;
  made.join.arithmetic = arithmetic;
  return made;
}

}  // namespace

TEST_CASE("nodes with the same arithmetic cause no warning") {
  CHECK(mixed_arithmetic({}) == "");
  const std::vector<ClusterNode> alike{node("a", arithmetic()), node("b", arithmetic()), node("c", arithmetic())};
  CHECK(mixed_arithmetic(alike) == "");
}

TEST_CASE("a warning names nodes with another instruction set or library, with escaped texts") {
  const std::vector<ClusterNode> mixed{node("a", "x86-64-v4, glibc 2.36"), node("b", "x86-64-v4, glibc 2.36"),
                                       node("c", "x86-64-v3\n\x1b[2J, glibc 2.36")};
  const std::string told = mixed_arithmetic(mixed);
  CHECK(told.find("a (x86-64-v4, glibc 2.36) and c (x86-64-v3") != std::string::npos);
  CHECK(told.find('\x1b') == std::string::npos);
  CHECK(told.find('\n') == std::string::npos);
}

TEST_CASE("arithmetic() names an instruction set and a library") {
  CHECK(arithmetic().find("glibc 2.") != std::string::npos);
  CHECK(arithmetic() == arithmetic());
}
