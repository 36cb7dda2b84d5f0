#include "actors/placements/cluster/mixed_arithmetic.hpp"

#include <algorithm>

#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLongestShown = 60;

std::string text(const ClusterNode& node) {
  return node.name + " (" + printable(node.join.arithmetic, kLongestShown) + ")";
}

}  // namespace

std::string mixed_arithmetic(std::span<const ClusterNode> nodes) {
  const auto differs = [&](const ClusterNode& node) { return node.join.arithmetic != nodes.front().join.arithmetic; };
  const auto other = std::ranges::find_if(nodes, differs);
  if (other == nodes.end()) return "";
  return "nodes differ in instruction set or libraries: " + text(nodes.front()) + " and " + text(*other) +
         "; results may differ bitwise between placements";
}

}  // namespace troupe
