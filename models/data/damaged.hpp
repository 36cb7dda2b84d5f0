#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Reads samples whose files may be damaged. If the user requested it, samples that cannot be read are skipped and
/// logged, each of them once. Otherwise they are errors.
class DamagedSamples {
 public:
  /// @param left_out whether damaged samples are skipped
  explicit DamagedSamples(bool left_out) : left_out_(left_out) {}

  /// Calls `read`, which reads sample `index` of the request. If `read` throws Error bad_file and damaged samples are
  /// skipped, marks the sample in `request.holes` and logs the error.
  /// @throws all other exceptions of `read`; also Error bad_file if damaged samples are not skipped or `request.holes`
  /// is empty
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

/// Returns true if the option `damaged` has the value "skip", the only valid value.
/// @param option the name of the option, for the error message
/// @throws Error invalid_argument for any other value
bool skips_damaged(const std::string& option, const std::string& value);

}  // namespace troupe
