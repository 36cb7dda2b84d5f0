#include "mutation/sender_knows.hpp"

#include <map>
#include <string>

namespace troupe_test {
namespace {

/// By field, and why nobody but the sender knows it.
const std::map<std::string, std::string, std::less<>>& list() {
  static const std::map<std::string, std::string, std::less<>> fields{
      {"Computed.loss_bits[]", "a shard's loss is computed by its worker alone"},
  };
  return fields;
}

}  // namespace

bool sender_knows(const Lie& lie) { return list().contains(lie.field()); }

}  // namespace troupe_test
