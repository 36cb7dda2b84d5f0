#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// If requested, skips samples that cannot be read, and logs each of them once.
class DamagedSamples {
 public:
  explicit DamagedSamples(bool left_out) : left_out_(left_out) {}

  /// Reads sample `index` of a request. If the file is bad, the sample becomes a hole. @throws all other exceptions of
  /// `read`
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

/// Checks the value of the option `damaged`, which must be "skip". @param option its name, for errors. @throws Error
/// invalid_argument
bool skips_damaged(const std::string& option, const std::string& value);

}  // namespace troupe
