#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// How a program ended and what it printed.
struct Finished {
  int status = 0;  ///< of the exit; minus the signal that ended it
  std::string out;
  std::string err;
};

struct Surroundings {
  std::string temporary = {};        ///< TMPDIR; empty: as here
  std::string folder = {};           ///< to run in; empty: as here
  std::string output = {};           ///< file that standard output goes to; empty: to this program
  bool terminal = false;             ///< standard output is a terminal
  std::function<void()> limit = {};  ///< called in the child before the program begins: system calls only
};

/// The program `troupe` as a child in a process group of its own, which is killed with this object.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  pid_t pid() const { return pid_; }
  const std::string& out() const { return out_.text; }
  const std::string& err() const { return err_.text; }
  /// Reads until standard output holds `text`. False when it ended, or time ran out, before that.
  bool prints(const std::string& text) { return comes(out_, text); }
  /// The same of standard error.
  bool says(const std::string& text) { return comes(err_, text); }
  /// Reads until nothing has come on standard output for so long.
  void read_until_silent(std::chrono::milliseconds silence);
  /// Closes our end of standard output.
  void stop_reading() { out_.end.reset(); }
  /// Reads to the end. @throws std::runtime_error when the program does not end.
  Finished finish();

 private:
  struct Stream {
    troupe::FileDescriptor end;
    std::string text;
  };

  bool comes(const Stream& stream, const std::string& text);
  /// Takes what has come on both streams. False when nothing came, or both have ended.
  bool read_some(std::chrono::milliseconds timeout);

  pid_t pid_ = -1;
  Stream out_;
  Stream err_;
};

Finished run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

}  // namespace troupe_test
