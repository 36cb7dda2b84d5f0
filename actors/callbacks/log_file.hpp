#pragma once

#include <string>
#include <string_view>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// A file to which a run's callback adds, line by line. All throw Error bad_file.
class LogFile {
 public:
  /// @param goes_on behind its last whole line; else it begins anew
  LogFile(const std::string& path, bool goes_on);

  /// It is with the system when this returns, whoever ends the process then.
  void write(std::string_view text);

 private:
  WrittenFile file_;
};

}  // namespace troupe
