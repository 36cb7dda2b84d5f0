#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// JSON lines, one object a step.
class ReportFile {
 public:
  /// @throws Error bad_file, as the others do; also for a FIFO that nobody reads.
  explicit ReportFile(const std::string& path);

  void write(const StepReport& report);
  /// All of it must have been written.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace troupe::cli
