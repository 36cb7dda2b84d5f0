#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe::fuzz {

/// Aborts the run if a condition does not hold; libFuzzer then saves the input.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

/// Runs a parser, which may refuse its input with one of these codes only.
template <class Parse>
void may_refuse(Parse parse, std::initializer_list<ErrorCode> codes) {
  try {
    parse();
  } catch (const Error& error) {
    if (std::find(codes.begin(), codes.end(), error.code()) != codes.end()) return;
    std::fprintf(stderr, "%s: %s\n", to_string(error.code()), error.what());
    expect(false, "the error has an allowed code");
  }
}

/// The input, read piece by piece from its start. Missing bytes are zero.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const std::byte*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  std::span<const std::byte> take(std::size_t bytes) {
    const auto taken = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  template <class T>
  T number() {
    T value{};
    const auto bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::string text(std::size_t bytes = SIZE_MAX) {
    const auto taken = take(bytes);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  /// Returns the text before the next `end`, and skips `end`.
  std::string text_until(char end) {
    const auto found = std::find(rest_.begin(), rest_.end(), static_cast<std::byte>(end));
    std::string before = text(static_cast<std::size_t>(found - rest_.begin()));
    take(1);
    return before;
  }

 private:
  std::span<const std::byte> rest_;
};

/// A file in memory with one input at a time.
class InputInFile {
 public:
  InputInFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_.get())) {}

  /// Writes the bytes and returns the path of the file, valid until the next call.
  const std::string& hold(std::span<const std::byte> bytes) {
    const bool held = ::ftruncate(file_.get(), 0) == 0 &&
                      ::pwrite(file_.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    expect(held, "a file in memory is written");
    return path_;
  }

 private:
  FileDescriptor file_;
  std::string path_;
};

/// Disables standard error, because log lines about refused inputs would hide important output.
inline void be_quiet() { std::cerr.rdbuf(nullptr); }

}  // namespace troupe::fuzz
