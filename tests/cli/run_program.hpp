#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// The exit status and the output of a program.
struct Finished {
  int status = 0;  ///< exit status, or minus the signal that ended the program
  std::string out;
  std::string err;
};

struct Surroundings {
  std::string temporary = {};        ///< TMPDIR; if empty, that of this process
  std::string folder = {};           ///< working directory; if empty, that of this process
  std::string output = {};           ///< file for standard output; if empty, this object reads it
  bool terminal = false;             ///< standard output is a terminal
  std::function<void()> limit = {};  ///< called in the child before the program begins; may make system calls only
};

/// Runs the program `troupe` as a child in its own process group. The destructor kills the group.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  pid_t pid() const { return pid_; }
  const std::string& out() const { return out_.text; }
  const std::string& err() const { return err_.text; }
  /// Reads until standard output contains `text`. Returns false if the stream ends or the time runs out first.
  bool prints(const std::string& text) { return comes(out_, text); }
  /// The same for standard error.
  bool says(const std::string& text) { return comes(err_, text); }
  /// Reads until standard output has been silent for `silence`.
  void read_until_silent(std::chrono::milliseconds silence);
  /// Closes the reading end of standard output.
  void stop_reading() { out_.end.reset(); }
  /// Reads to the end. @throws std::runtime_error if the program does not end in time.
  Finished finish();

 private:
  struct Stream {
    troupe::FileDescriptor end;
    std::string text;
  };

  bool comes(const Stream& stream, const std::string& text);
  /// Reads available data from both streams. Returns false on timeout, or if both streams have ended.
  bool read_some(std::chrono::milliseconds timeout);

  pid_t pid_ = -1;
  Stream out_;
  Stream err_;
};

Finished run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

}  // namespace troupe_test
