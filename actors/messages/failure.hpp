#pragma once

#include <bit>
#include <cstdint>
#include <exception>
#include <string>

#include "actors/messages/bounds.hpp"
#include "troupe/error.hpp"

namespace troupe {

// CAF 0.17 does not transfer NaN, infinities, -0 and subnormals between processes, so doubles travel as their bits.
inline std::uint64_t to_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// An error that a member reports to the driver. Code -1 means success.
struct Failure {
  std::int32_t code = -1;
  std::string message;
  std::string phase;
  std::string object;
  std::string node;  ///< the node at fault, if it is not the sender

  explicit operator bool() const { return code >= 0; }
  /// Returns the failure for an exception. If the exception is not an Error, its code is `otherwise`.
  static Failure from(const std::exception_ptr& error, ErrorCode otherwise);
  /// Returns the failure as an Error. `where` is the place of the sender, as the driver knows it. Texts are made
  /// printable, because the sender is not trusted.
  Error to_error(Where where) const;
};
template <class F>
auto fields(Failure& x, F visit) {
  return visit(x.code, x.message, x.phase, x.object, x.node);
}

/// The reply to a request that returns no data.
struct Done {
  std::uint64_t round = 0;
  Failure failure;
};
template <class F>
auto fields(Done& x, F visit) {
  return visit(x.round, x.failure);
}

}  // namespace troupe
