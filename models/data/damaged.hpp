#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Reads samples whose files may be damaged. If the user chose damaged=skip, a sample that cannot be read is skipped
/// and logged; at most 20 different errors are logged, each once. Otherwise a sample that cannot be read is an error.
class DamagedSamples {
 public:
  /// @param left_out whether to skip samples that cannot be read
  explicit DamagedSamples(bool left_out) : left_out_(left_out) {}

  /// Calls `read`, which must read sample number `index` of the request. If `read` throws Error bad_file, and this
  /// object skips damaged samples, sets `request.holes[index]` to 1 and logs the error.
  /// @throws all other exceptions of `read`; also Error bad_file if this object does not skip damaged samples, or
  /// `request.holes` is empty
  template <class Read>
  void read(const BatchRequest& request, std::size_t index, const Read& read) const {
    if (!left_out_ || request.holes.empty()) return read();
    try {
      read();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;
      request.holes[index] = 1;
      tell(error);
    }
  }

 private:
  void tell(const Error& error) const;

  bool left_out_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> told_;
};

/// Checks the value of the option "damaged" of a data name. Returns true if the value is "skip", which is the only
/// valid value.
/// @param option the name of the option, for the error message
/// @throws Error invalid_argument for any other value
bool skips_damaged(const std::string& option, const std::string& value);

}  // namespace troupe
