#pragma once

#include <bit>
#include <cstdint>
#include <exception>
#include <string>

#include "actors/messages/bounds.hpp"
#include "troupe/error.hpp"

namespace troupe {

// CAF 0.17 does not transfer NaN, infinities, -0 and subnormal numbers correctly between processes. Therefore messages
// contain the bits of a double as an integer.
inline std::uint64_t to_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// An error that a member reports to the driver in a reply. If `code` is -1, there is no error.
struct Failure {
  std::int32_t code = -1;
  std::string message;
  std::string phase;
  std::string object;
  std::string node;  ///< the name of the node at fault, if it is not the sender

  explicit operator bool() const { return code >= 0; }
  /// Returns the failure that describes the exception `error`. If the exception is neither an Error nor a lack of
  /// memory, the code is `otherwise`.
  static Failure from(const std::exception_ptr& error, ErrorCode otherwise);
  /// Returns this failure as an Error. All texts are made printable, because the sender is not trusted.
  /// @param where the place of the sender, as the driver knows it
  Error to_error(Where where) const;
};
template <class F>
auto fields(Failure& x, F visit) {
  return visit(x.code, x.message, x.phase, x.object, x.node);
}

/// The reply to any request that returns no data.
struct Done {
  std::uint64_t round = 0;
  Failure failure;
};
template <class F>
auto fields(Done& x, F visit) {
  return visit(x.round, x.failure);
}

}  // namespace troupe
