#include "runtime/store/protocol.hpp"

namespace troupe::store {
namespace {

constexpr std::uint64_t kLongestWaitMs = 3'600'000;

}  // namespace

bool well_formed(const Request& request) {
  const auto kind = static_cast<std::uint32_t>(request.id.kind);
  const auto operation = static_cast<std::uint32_t>(request.operation);
  return request.magic == kMagic && operation >= static_cast<std::uint32_t>(Operation::create) &&
         operation <= static_cast<std::uint32_t>(Operation::trim) &&
         (kind >= 1 && kind <= static_cast<std::uint32_t>(ObjectKind::group)) && request.deadline_ms <= kLongestWaitMs;
}

}  // namespace troupe::store
